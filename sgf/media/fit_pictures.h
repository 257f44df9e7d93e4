// Scales and crops frames of any size to one size.
#pragma once

#include "sgf/core/picture_size.h"

#include <ATen/core/Tensor.h>

namespace sgf {

// Scales each frame of [F, 3, h, w] to cover the size and crops it to the centre.
at::Tensor fit_pictures(const at::Tensor& pictures, PictureSize size);

}  // namespace sgf
