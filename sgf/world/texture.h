// How much a video moves and how crisp it is, as pixels tell, and the true clips to put these beside.
#pragma once

#include "sgf/world/preset.h"

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace sgf {

// [F, 3, H, W] each. Mean squared difference of neighbouring frames; 0 for a single one.
double motion_energy(const at::Tensor& video);
// Mean |Laplacian| of the mean over channels.
double sharpness(const at::Tensor& video);

// A true clip with this caption, [F, 3, H, W]; those of other numbers differ in all that the caption does not name.
at::Tensor true_clip(const WorldCaption& caption, const WorldPreset& preset, int64_t clip, int64_t frames);

constexpr int64_t kTextureClips = 4;  // true clips 0 to 3 make the texture

struct Texture {
  double motion_energy = 0;
  double sharpness = 0;
};

// As true clips with this caption have it, in the mean. Made once for a caption and a world, and kept.
const Texture& true_texture(const WorldCaption& caption, const WorldPreset& preset);

}  // namespace sgf
