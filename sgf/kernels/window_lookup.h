// Square windows around places of planes, between whose pixels values are mixed linearly: what an optical flow network
// asks of its correlations, for every place and many times over.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

namespace sgf {

// Row p of the result: for each level l the window of `radius` around places[p] / 2^l in plane p of that level,
// (2 radius + 1)^2 numbers of which the offset in x changes slowest. Outside a plane are zeros.
// levels: [P, h, w] each, more than one pixel a side; places [P, 2], x before y. -> [P, levels * (2 radius + 1)^2].
// No gradient goes back.
at::Tensor window_lookup(const std::vector<at::Tensor>& levels, const at::Tensor& places, int64_t radius);

// The plain twin.
at::Tensor window_lookup_reference(const std::vector<at::Tensor>& levels, const at::Tensor& places, int64_t radius);

}  // namespace sgf
