// Frames for networks with pyramids: number planes with sides that are multiples of something.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string_view>

namespace sgf {

// Repeats the border until both sides are multiples, half of it before and the rest after.
class PicturePadding {
 public:
  PicturePadding(int64_t height, int64_t width, int64_t multiple);

  int64_t padded_height() const { return top_ + height_ + bottom_; }
  int64_t padded_width() const { return left_ + width_ + right_; }

  at::Tensor pad(const at::Tensor& planes) const;    // [N, C, H, W], larger
  at::Tensor unpad(const at::Tensor& planes) const;  // a view of the inner part

 private:
  int64_t height_, width_;
  int64_t top_, bottom_, left_, right_;
};

// Below this, the last of four pyramid levels has one pixel, in which no position can be given.
constexpr int64_t kSmallestPyramidSide = 128;

// Throws unless these are bytes [N, H, W, 3] with N of at least 1.
void check_pictures(const at::Tensor& pictures, std::string_view network);

// Bytes [N, H, W, 3] as numbers [N, 3, H, W] of `options`, 0 to 255.
at::Tensor picture_planes(const at::Tensor& pictures, at::TensorOptions options);

// The padding of such frames; throws if a padded side is shorter than kSmallestPyramidSide.
PicturePadding pyramid_padding(const at::Tensor& pictures, int64_t multiple, std::string_view network);

}  // namespace sgf
