// How alike every place of one picture is to every place of another, and the neighbourhoods that RAFT and AMT look at.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

namespace sgf {

// Places [1, 2, H, W] of a grid, x before y.
at::Tensor grid_of_places(int64_t height, int64_t width, at::TensorOptions options);

// Products of all pairs of feature vectors, divided by the root of their length, over halved pictures of the second.
class CorrelationPyramid {
 public:
  // Features [B, C, h, w] of both pictures. Sides at the last level must be more than one pixel.
  CorrelationPyramid(const at::Tensor& from, const at::Tensor& to, int64_t levels);

  // For every place of the first picture the window around `places` [B, 2, h, w] (x, y, in pixels of the second's
  // features) at every level: [B, levels * (2 radius + 1)^2, h, w]. Of a window's channels the offset in x changes
  // slowest: channel = (level * n + dx + radius) * n + dy + radius. Outside are zeros.
  at::Tensor look_up(const at::Tensor& places, int64_t radius) const;

 private:
  std::vector<at::Tensor> levels_;  // [B * h * w, 1, h / 2^l, w / 2^l]
};

// Bytes of a pyramid over features of these sides, one pair.
int64_t correlation_bytes(int64_t height, int64_t width, int64_t levels, int64_t element_size);

}  // namespace sgf
