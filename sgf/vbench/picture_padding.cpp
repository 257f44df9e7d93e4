#include "sgf/vbench/picture_padding.h"

#include "sgf/core/error.h"

#include <ATen/ATen.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace sgf {
namespace {

int64_t missing_to_multiple(int64_t side, int64_t multiple) { return (multiple - side % multiple) % multiple; }

}  // namespace

PicturePadding::PicturePadding(int64_t height, int64_t width, int64_t multiple)
    : height_(height),
      width_(width),
      top_(missing_to_multiple(height, multiple) / 2),
      bottom_(missing_to_multiple(height, multiple) - top_),
      left_(missing_to_multiple(width, multiple) / 2),
      right_(missing_to_multiple(width, multiple) - left_) {}

at::Tensor PicturePadding::pad(const at::Tensor& planes) const {
  if (top_ + bottom_ + left_ + right_ == 0) return planes;
  return at::replication_pad2d(planes, {left_, right_, top_, bottom_});
}

at::Tensor PicturePadding::unpad(const at::Tensor& planes) const {
  return planes.narrow(2, top_, height_).narrow(3, left_, width_);
}

void check_pictures(const at::Tensor& pictures, std::string_view network) {
  const bool fits =
      pictures.dim() == 4 && pictures.size(3) == 3 && pictures.scalar_type() == at::kByte && pictures.numel() > 0;
  SGF_CHECK(fits, "{} needs frames as bytes [N, H, W, 3], got [{}] of {}", network, fmt::join(pictures.sizes(), ", "),
            c10::toString(pictures.scalar_type()));
}

at::Tensor picture_planes(const at::Tensor& pictures, at::TensorOptions options) {
  return pictures.to(options.device()).permute({0, 3, 1, 2}).contiguous().to(options);
}

PicturePadding pyramid_padding(const at::Tensor& pictures, int64_t multiple, std::string_view network) {
  check_pictures(pictures, network);
  const PicturePadding padding(pictures.size(1), pictures.size(2), multiple);
  SGF_CHECK(std::min(padding.padded_height(), padding.padded_width()) >= kSmallestPyramidSide,
            "{} needs frames of at least {} pixels per side, got {}x{} (padded {}x{}); the original gives NaN here, so "
            "evaluate larger videos",
            network, kSmallestPyramidSide, pictures.size(1), pictures.size(2), padding.padded_height(),
            padding.padded_width());
  return padding;
}

}  // namespace sgf
