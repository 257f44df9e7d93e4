// The error of a latent frame if less of the past is encoded before it: the paper's VAE boundary diagnostic.
#pragma once

#include "sgf/vae/wan_vae_codec.h"

#include <ATen/core/Tensor.h>

#include <string>
#include <vector>

namespace sgf {

// One way to encode the last group of frames, compared with the latent from the whole prefix.
struct BoundaryRow {
  std::string name;   // "fresh", or "W=2": an anchor frame and 2 groups before the last
  int64_t begin = 0;  // frames [begin, end) were encoded
  int64_t end = 0;
  double relative_l2 = 0;  // ||latent - reference|| / ||reference||
};

// Windows W = 0 to `windows` - 1 on a video [1, F, 3, H, W] of a first frame and whole groups; the target is the last
// latent frame. Throws if the video is too short for the widest window.
std::vector<BoundaryRow> measure_vae_boundary(const WanVaeCodec& codec, const at::Tensor& video, int64_t windows);

}  // namespace sgf
