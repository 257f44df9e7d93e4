// How much a video moves and how sharp it is, computed from pixels, and the true clips as reference.
#pragma once

#include "sgf/world/preset.h"

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace sgf {

// Both take [F, 3, H, W]. Mean squared difference of neighbouring frames; 0 for a single frame.
double motion_energy(const at::Tensor& video);
// Mean |Laplacian| of the channel mean.
double sharpness(const at::Tensor& video);

// A true clip with this caption, [F, 3, H, W]; other numbers give clips that differ in everything the caption does not
// name.
at::Tensor true_clip(const WorldCaption& caption, const WorldPreset& preset, int64_t clip, int64_t frames);

constexpr int64_t kTextureClips = 4;  // true clips 0 to 3 define the texture

struct Texture {
  double motion_energy = 0;
  double sharpness = 0;
};

// The mean over true clips with this caption. Computed once per caption and world, and cached.
const Texture& true_texture(const WorldCaption& caption, const WorldPreset& preset);

}  // namespace sgf
