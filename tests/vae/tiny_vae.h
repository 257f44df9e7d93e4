// A small VAE with random weights, and videos for it.
#pragma once

#include "sgf/kernels/noise_fill.h"
#include "sgf/vae/wan_vae_codec.h"

#include <ATen/ATen.h>

namespace sgf::testing {

inline VaeConfig tiny_vae_config() {
  return {.dim = 8, .z_dim = 4, .dim_mult = {1, 2, 2}, .num_res_blocks = 1, .temporal_downsample = {true, true}};
}

inline WanVaeCodec tiny_codec(const WanCodecSettings& settings = {}, at::ScalarType dtype = at::kDouble,
                              const VaeConfig& config = tiny_vae_config()) {
  return WanVaeCodec(random_vae_weights(config, 3, at::TensorOptions().dtype(dtype)), settings);
}

inline at::Tensor test_normal(at::IntArrayRef shape, int64_t sample = 0, at::ScalarType dtype = at::kDouble) {
  return normal({.seed = 5, .purpose = NoisePurpose::kTest, .sample = sample}, shape, at::TensorOptions().dtype(dtype));
}

inline at::Tensor test_video(at::IntArrayRef shape) { return test_normal(shape).mul_(0.2).add_(0.5); }

// Frames [begin, begin + count) of [B, F, ...], by the counts given.
template <class Stream>
at::Tensor in_pieces(Stream& stream, const at::Tensor& frames, const std::vector<int64_t>& counts) {
  std::vector<at::Tensor> out;
  int64_t begin = 0;
  for (const int64_t count : counts) {
    out.push_back(stream.next(frames.narrow(1, begin, count)));
    begin += count;
  }
  return at::cat(out, 1);
}

inline double largest_difference(const at::Tensor& a, const at::Tensor& b) {
  return (a - b).abs().max().item<double>();
}

}  // namespace sgf::testing
