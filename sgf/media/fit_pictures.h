// Pictures of any size made to fit one.
#pragma once

#include "sgf/core/picture_size.h"

#include <ATen/core/Tensor.h>

namespace sgf {

// Each picture of [F, 3, h, w] made to cover the size, its middle kept.
at::Tensor fit_pictures(const at::Tensor& pictures, PictureSize size);

}  // namespace sgf
