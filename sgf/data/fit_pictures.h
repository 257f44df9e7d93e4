// Pictures of any size made to fit one.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace sgf {

struct PictureSize {
  int64_t height = 0;
  int64_t width = 0;
};

// Each picture of [F, 3, h, w] made to cover the size, its middle kept.
at::Tensor fit_pictures(const at::Tensor& pictures, PictureSize size);

}  // namespace sgf
