// How VBench prepares frames for each network: resizes with their exact flags, crops, normalisation. Every transform
// takes uint8 [F, H, W, 3], RGB, on any device, and returns [F, 3, h, w] of `dtype` (float32 or float64) on the same
// device.
#pragma once

#include "sgf/core/picture_size.h"

#include <ATen/core/Tensor.h>

#include <array>
#include <cstdint>

namespace sgf {

// Colour means and deviations of frames in [0, 1].
struct PictureNorm {
  std::array<double, 3> mean, deviation;
};

constexpr PictureNorm kImageNetNorm{{0.485, 0.456, 0.406}, {0.229, 0.224, 0.225}};
constexpr PictureNorm kClipNorm{{0.48145466, 0.4578275, 0.40821073}, {0.26862954, 0.26130258, 0.27577711}};

// Shorter side to 224 by bicubic with a = -0.75, central 224x224 crop, CLIP's norm.
at::Tensor clip_transform(const at::Tensor& pictures, at::ScalarType dtype);
// Shorter side to 224, bilinear, no crop, ImageNet's norm.
at::Tensor dino_transform(const at::Tensor& pictures, at::ScalarType dtype);
// Shorter side to 256 by antialiased bicubic (a = -0.5), central 224x224 crop, ImageNet's norm.
at::Tensor dinov2_transform(const at::Tensor& pictures, at::ScalarType dtype);
// To 224x224 whatever the shape, by antialiased bicubic, in about [0, 1]: every tower has its own norm.
at::Tensor dreamsim_transform(const at::Tensor& pictures, at::ScalarType dtype);
// Longer side to at most 512, bilinear, [0, 1].
at::Tensor imaging_transform(const at::Tensor& pictures, at::ScalarType dtype);

// (x - mean) / deviation of [F, 3, h, w].
at::Tensor normalised_pictures(const at::Tensor& x, const PictureNorm& norm);

// The resulting sizes. Halves round to even, as in Python.
PictureSize with_shorter_side(PictureSize size, int64_t shorter);
PictureSize crop_corner(PictureSize size, int64_t side);  // top and left of the central side x side
PictureSize imaging_size(PictureSize size);
PictureSize musiq_size(PictureSize size, int64_t longer);  // of one MUSIQ scale with this longer side

}  // namespace sgf
