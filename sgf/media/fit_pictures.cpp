#include "sgf/media/fit_pictures.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>

namespace sgf {

at::Tensor fit_pictures(const at::Tensor& pictures, PictureSize size) {
  const int64_t height = pictures.size(2), width = pictures.size(3);
  if (height == size.height && width == size.width) return pictures;
  const double scale = std::max(static_cast<double>(size.height) / static_cast<double>(height),
                                static_cast<double>(size.width) / static_cast<double>(width));
  const auto scaled = [&](int64_t side, int64_t at_least) {
    return std::max<int64_t>(std::llround(static_cast<double>(side) * scale), at_least);
  };
  const int64_t rows = scaled(height, size.height), columns = scaled(width, size.width);
  const at::Tensor covering = at::_upsample_bilinear2d_aa(pictures, {rows, columns}, /*align_corners=*/false);
  return covering.narrow(2, (rows - size.height) / 2, size.height)
      .narrow(3, (columns - size.width) / 2, size.width)
      .clamp(0, 1);
}

}  // namespace sgf
