// Correlations between all positions of two frames, and the windows that RAFT and AMT read from them.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string_view>
#include <vector>

namespace sgf {

// Positions [1, 2, H, W] of a grid, x before y.
at::Tensor grid_of_places(int64_t height, int64_t width, at::TensorOptions options);

// Dot products of all pairs of feature vectors, divided by the root of their length, over downscaled versions of the
// second frame.
class CorrelationPyramid {
 public:
  // Features [B, C, h, w] of both frames. Sides at the last level must be larger than one pixel.
  CorrelationPyramid(const at::Tensor& from, const at::Tensor& to, int64_t levels);

  // For every position of the first frame, the window around `places` [B, 2, h, w] (x, y, in pixels of the second
  // frame's features) at every level: [B, levels * (2 radius + 1)^2, h, w]. The offset in x changes slowest among a
  // window's channels: channel = (level * n + dx + radius) * n + dy + radius. Outside the frame values are zero.
  at::Tensor look_up(const at::Tensor& places, int64_t radius) const;

 private:
  std::vector<at::Tensor> levels_;  // [B * h * w, h / 2^l, w / 2^l]
};

// Throws for 16-bit types: they cannot represent positions in pixels exactly enough.
void check_tells_pixels_apart(at::TensorOptions options, std::string_view network);

// Bytes of a pyramid over features of this size, for one pair.
int64_t correlation_bytes(int64_t height, int64_t width, int64_t levels, int64_t element_size);

}  // namespace sgf
