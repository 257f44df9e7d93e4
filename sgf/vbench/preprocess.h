// How VBench prepares pictures for each network: resizes with their exact flags, crops, normalisation. Every transform
// takes uint8 [F, H, W, 3], RGB, on any device, and gives [F, 3, h, w] of `dtype` (float32 or float64) there.
#pragma once

#include "sgf/core/picture_size.h"

#include <ATen/core/Tensor.h>

#include <array>
#include <cstdint>

namespace sgf {

// Means and deviations of the colours of pictures in [0, 1].
struct PictureNorm {
  std::array<double, 3> mean, deviation;
};

constexpr PictureNorm kImageNetNorm{{0.485, 0.456, 0.406}, {0.229, 0.224, 0.225}};
constexpr PictureNorm kClipNorm{{0.48145466, 0.4578275, 0.40821073}, {0.26862954, 0.26130258, 0.27577711}};

// Shorter side to 224 by the bicubic with a = -0.75, the middle 224x224 of it, CLIP's norm.
at::Tensor clip_transform(const at::Tensor& pictures, at::ScalarType dtype);
// Shorter side to 224, bilinear, nothing cropped, ImageNet's norm.
at::Tensor dino_transform(const at::Tensor& pictures, at::ScalarType dtype);
// Shorter side to 256 by the antialiased bicubic (a = -0.5), the middle 224x224 of it, ImageNet's norm.
at::Tensor dinov2_transform(const at::Tensor& pictures, at::ScalarType dtype);
// To 224x224 whatever the shape, by the antialiased bicubic, about [0, 1]: every tower has a norm of its own.
at::Tensor dreamsim_transform(const at::Tensor& pictures, at::ScalarType dtype);
// Longer side to at most 512, bilinear, [0, 1].
at::Tensor imaging_transform(const at::Tensor& pictures, at::ScalarType dtype);

// (x - mean) / deviation of [F, 3, h, w].
at::Tensor normalised_pictures(const at::Tensor& x, const PictureNorm& norm);

// The sizes that these come to. Halves round to the even neighbour, as in Python.
PictureSize with_shorter_side(PictureSize size, int64_t shorter);
PictureSize crop_corner(PictureSize size, int64_t side);  // top and left of the middle side x side
PictureSize imaging_size(PictureSize size);
PictureSize musiq_size(PictureSize size, int64_t longer);  // of one scale of MUSIQ, whose longer side that is

}  // namespace sgf
