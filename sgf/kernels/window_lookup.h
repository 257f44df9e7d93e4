// Square windows around positions of planes, interpolated linearly between pixels. An optical flow network reads its
// correlations this way, many times for every position.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

namespace sgf {

// Row p of the result: for each level l the window of `radius` around places[p] / 2^l in plane p of that level, (2
// radius + 1)^2 numbers whose offset in x changes slowest. Outside a plane the values are zero. levels: [P, h, w] each,
// more than one pixel per side; places [P, 2], x before y. -> [P, levels * (2 radius + 1)^2]. No gradient.
at::Tensor window_lookup(const std::vector<at::Tensor>& levels, const at::Tensor& places, int64_t radius);

// Plain reference.
at::Tensor window_lookup_reference(const std::vector<at::Tensor>& levels, const at::Tensor& places, int64_t radius);

}  // namespace sgf
