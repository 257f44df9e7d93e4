#include "sgf/vbench/correlation.h"

#include "sgf/core/error.h"
#include "sgf/files/tensors.h"
#include "sgf/kernels/window_lookup.h"

#include <ATen/ATen.h>

#include <cmath>

namespace sgf {
namespace {

// [B, C, h, w] as [B, h w, C]; no copy if channels are last.
at::Tensor rows_of(const at::Tensor& features) {
  return features.permute({0, 2, 3, 1}).reshape({features.size(0), -1, features.size(1)});
}

}  // namespace

at::Tensor grid_of_places(int64_t height, int64_t width, at::TensorOptions options) {
  const std::vector<at::Tensor> yx = at::meshgrid({at::arange(height, options), at::arange(width, options)}, "ij");
  return at::stack({yx[1], yx[0]}).unsqueeze(0);
}

// Correlations with downscaled features equal downscaled correlations, which take 150 MB per pair at 480x832.
CorrelationPyramid::CorrelationPyramid(const at::Tensor& from, const at::Tensor& to, int64_t levels) {
  const at::Tensor rows = rows_of(from) / std::sqrt(static_cast<double>(from.size(1)));
  at::Tensor seen = to;
  for (int64_t i = 0; i < levels; ++i) {
    if (i > 0) seen = at::avg_pool2d(seen, 2, 2);
    levels_.push_back(at::matmul(rows, rows_of(seen).transpose(1, 2)).view({-1, seen.size(2), seen.size(3)}));
  }
}

at::Tensor CorrelationPyramid::look_up(const at::Tensor& places, int64_t radius) const {
  const at::Tensor windows = window_lookup(levels_, places.permute({0, 2, 3, 1}).reshape({-1, 2}), radius);
  return windows.view({places.size(0), places.size(2), places.size(3), -1}).permute({0, 3, 1, 2});
}

void check_tells_pixels_apart(at::TensorOptions options, std::string_view network) {
  const at::ScalarType type = c10::typeMetaToScalarType(options.dtype());
  SGF_CHECK(type == at::kFloat || type == at::kDouble, "the pixel positions of {} need float32 or float64, got {}",
            network, name_of(type));
}

int64_t correlation_bytes(int64_t height, int64_t width, int64_t levels, int64_t element_size) {
  int64_t places = 0;
  for (int64_t i = 0; i < levels; ++i) places += (height >> i) * (width >> i);
  return height * width * places * element_size;
}

}  // namespace sgf
