#include "sgf/vbench/preprocess.h"

#include "sgf/core/error.h"

#include <ATen/ATen.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

namespace sgf {
namespace {

constexpr int64_t kSide = 224;
constexpr int64_t kDinov2Shorter = 256;
constexpr int64_t kImagingLonger = 512;

enum class Filter {
  kBilinear,            // no antialias
  kBicubic,             // no antialias: a = -0.75, indices clamped to the frame
  kAntialiasedBicubic,  // a = -0.5, taps outside are dropped and the others rescaled, also when upscaling
};

// [F, 3, H, W], 0 to 255.
at::Tensor planes_of(const at::Tensor& pictures, at::ScalarType dtype) {
  SGF_CHECK(pictures.dim() == 4 && pictures.size(3) == 3 && pictures.scalar_type() == at::kByte && pictures.numel() > 0,
            "frames must be uint8 [F, H, W, 3], got {} [{}]", c10::toString(pictures.scalar_type()),
            fmt::join(pictures.sizes(), ", "));
  return pictures.permute({0, 3, 1, 2}).to(dtype, /*non_blocking=*/false, /*copy=*/false, at::MemoryFormat::Contiguous);
}

PictureSize size_of(const at::Tensor& planes) { return {planes.size(2), planes.size(3)}; }

at::Tensor resized(const at::Tensor& planes, PictureSize to, Filter filter) {
  if (size_of(planes) == to) return planes;
  const std::array<int64_t, 2> size{to.height, to.width};
  switch (filter) {
    case Filter::kBilinear:
      return at::upsample_bilinear2d(planes, size, /*align_corners=*/false);
    case Filter::kBicubic:
      return at::upsample_bicubic2d(planes, size, /*align_corners=*/false);
    case Filter::kAntialiasedBicubic:
      return at::_upsample_bicubic2d_aa(planes, size, /*align_corners=*/false);
  }
  fail("unknown resize filter");
}

at::Tensor middle_of(const at::Tensor& planes) {
  const PictureSize corner = crop_corner(size_of(planes), kSide);
  return planes.narrow(2, corner.height, kSide).narrow(3, corner.width, kSide);
}

int64_t round_to_even(double x) { return static_cast<int64_t>(std::nearbyint(x)); }

at::Tensor colours(const std::array<double, 3>& values, const at::Tensor& like) {
  return at::tensor(at::ArrayRef<double>(values.data(), values.size()), at::kDouble)
      .to(like.options())
      .view({1, 3, 1, 1});
}

}  // namespace

at::Tensor normalised_pictures(const at::Tensor& x, const PictureNorm& norm) {
  return (x - colours(norm.mean, x)).div_(colours(norm.deviation, x));
}

at::Tensor clip_transform(const at::Tensor& pictures, at::ScalarType dtype) {
  const at::Tensor planes = planes_of(pictures, dtype);
  const at::Tensor small = resized(planes, with_shorter_side(size_of(planes), kSide), Filter::kBicubic);
  return normalised_pictures(middle_of(small) / 255, kClipNorm);
}

at::Tensor dino_transform(const at::Tensor& pictures, at::ScalarType dtype) {
  const at::Tensor planes = planes_of(pictures, dtype);
  const at::Tensor small = resized(planes, with_shorter_side(size_of(planes), kSide), Filter::kBilinear);
  return normalised_pictures(small / 255, kImageNetNorm);
}

at::Tensor dinov2_transform(const at::Tensor& pictures, at::ScalarType dtype) {
  const at::Tensor planes = planes_of(pictures, dtype);
  const PictureSize size = with_shorter_side(size_of(planes), kDinov2Shorter);
  return normalised_pictures(middle_of(resized(planes, size, Filter::kAntialiasedBicubic)) / 255, kImageNetNorm);
}

at::Tensor dreamsim_transform(const at::Tensor& pictures, at::ScalarType dtype) {
  return resized(planes_of(pictures, dtype), {kSide, kSide}, Filter::kAntialiasedBicubic) / 255;
}

at::Tensor imaging_transform(const at::Tensor& pictures, at::ScalarType dtype) {
  const at::Tensor planes = planes_of(pictures, dtype);
  return resized(planes, imaging_size(size_of(planes)), Filter::kBilinear) / 255;
}

PictureSize with_shorter_side(PictureSize size, int64_t shorter) {
  const int64_t short_side = std::min(size.height, size.width), long_side = std::max(size.height, size.width);
  const int64_t longer = shorter * long_side / short_side;  // truncated
  return size.height <= size.width ? PictureSize{shorter, longer} : PictureSize{longer, shorter};
}

PictureSize crop_corner(PictureSize size, int64_t side) {
  return {round_to_even(static_cast<double>(size.height - side) / 2),
          round_to_even(static_cast<double>(size.width - side) / 2)};
}

// Computes the quotient first, as the original does: 512 / 784 * 784 truncates to 511.
PictureSize imaging_size(PictureSize size) {
  const int64_t longer = std::max(size.height, size.width);
  if (longer <= kImagingLonger) return size;
  const double scale = static_cast<double>(kImagingLonger) / static_cast<double>(longer);
  return {static_cast<int64_t>(scale * static_cast<double>(size.height)),
          static_cast<int64_t>(scale * static_cast<double>(size.width))};
}

PictureSize musiq_size(PictureSize size, int64_t longer) {
  const double scale = static_cast<double>(longer) / static_cast<double>(std::max(size.height, size.width));
  return {round_to_even(static_cast<double>(size.height) * scale),
          round_to_even(static_cast<double>(size.width) * scale)};
}

}  // namespace sgf
