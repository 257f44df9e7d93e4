#include "sgf/vbench/correlation.h"

#include <ATen/ATen.h>

#include <cmath>

namespace sgf {
namespace {

constexpr int64_t kLookupBilinear = 0, kLookupZeros = 0;  // as at::grid_sampler counts them

// Offsets [n, n, 2] of a window, (dx, dy): the first index moves in x.
at::Tensor window_offsets(int64_t radius, at::TensorOptions options) {
  const at::Tensor line = at::arange(-radius, radius + 1, options);
  const auto xy = at::meshgrid({line, line}, "ij");
  return at::stack({xy[0], xy[1]}, -1);
}

// The sampler counts from -1 to 1.
at::Tensor to_sampler(const at::Tensor& places, const at::Tensor& level) {
  const double height = static_cast<double>(level.size(2)), width = static_cast<double>(level.size(3));
  const at::Tensor scale = at::tensor({2 / (width - 1), 2 / (height - 1)}, at::kDouble).to(places.options());
  return places * scale - 1;
}

}  // namespace

at::Tensor grid_of_places(int64_t height, int64_t width, at::TensorOptions options) {
  const auto yx = at::meshgrid({at::arange(height, options), at::arange(width, options)}, "ij");
  return at::stack({yx[1], yx[0]}).unsqueeze(0);
}

CorrelationPyramid::CorrelationPyramid(const at::Tensor& from, const at::Tensor& to, int64_t levels) {
  const double root = std::sqrt(static_cast<double>(from.size(1)));
  const at::Tensor all = at::matmul((from / root).flatten(2).transpose(1, 2), to.flatten(2));
  levels_.push_back(all.view({all.size(0) * all.size(1), 1, to.size(2), to.size(3)}));
  for (int64_t i = 1; i < levels; ++i) levels_.push_back(at::avg_pool2d(levels_.back(), 2, 2));
}

at::Tensor CorrelationPyramid::look_up(const at::Tensor& places, int64_t radius) const {
  const int64_t batch = places.size(0), height = places.size(2), width = places.size(3);
  const at::Tensor offsets = window_offsets(radius, places.options());
  const at::Tensor centres = places.permute({0, 2, 3, 1}).reshape({-1, 1, 1, 2});
  std::vector<at::Tensor> windows;
  for (size_t i = 0; i < levels_.size(); ++i) {
    const at::Tensor seen = centres / std::exp2(static_cast<double>(i)) + offsets;
    const at::Tensor window = at::grid_sampler(levels_[i], to_sampler(seen, levels_[i]), kLookupBilinear, kLookupZeros,
                                               /*align_corners=*/true);
    windows.push_back(window.view({batch, height, width, -1}));
  }
  return at::cat(windows, -1).permute({0, 3, 1, 2});
}

int64_t correlation_bytes(int64_t height, int64_t width, int64_t levels, int64_t element_size) {
  int64_t places = 0;
  for (int64_t i = 0; i < levels; ++i) places += (height >> i) * (width >> i);
  return height * width * places * element_size;
}

}  // namespace sgf
