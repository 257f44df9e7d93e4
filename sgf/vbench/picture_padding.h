// Pictures as networks on pyramids want them: planes of numbers whose sides are multiples of something.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string_view>

namespace sgf {

// Repeats the border until both sides are multiples, half of it before and the rest behind.
class PicturePadding {
 public:
  PicturePadding(int64_t height, int64_t width, int64_t multiple);

  int64_t padded_height() const { return top_ + height_ + bottom_; }
  int64_t padded_width() const { return left_ + width_ + right_; }

  at::Tensor pad(const at::Tensor& planes) const;    // [N, C, H, W], larger
  at::Tensor unpad(const at::Tensor& planes) const;  // a view of what lies within

 private:
  int64_t height_, width_;
  int64_t top_, bottom_, left_, right_;
};

// Below this a correlation pyramid of four levels ends in one pixel, and no place in it can be named.
constexpr int64_t kSmallestPyramidSide = 128;

// Throws unless these are bytes [N, H, W, 3], with N at least 1.
void check_pictures(const at::Tensor& pictures, std::string_view network);

// Bytes [N, H, W, 3] as numbers [N, 3, H, W] of `options`, 0 to 255.
at::Tensor picture_planes(const at::Tensor& pictures, at::TensorOptions options);

// The padding of such pictures; throws where a padded side is shorter than kSmallestPyramidSide.
PicturePadding pyramid_padding(const at::Tensor& pictures, int64_t multiple, std::string_view network);

}  // namespace sgf
