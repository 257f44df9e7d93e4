#include "sgf/vbench/musiq_patches.h"

#include "sgf/core/error.h"
#include "sgf/vbench/preprocess.h"

#include <ATen/ATen.h>

namespace sgf {
namespace {

int64_t patches_along(int64_t side, int64_t patch) { return (side + patch - 1) / patch; }

// Pads with zeros, the larger half at the end, then cuts: [F, 3, H, W] -> [F, L, 3, P, P].
at::Tensor cut(const at::Tensor& x, int64_t patch) {
  const int64_t rows = patches_along(x.size(2), patch), columns = patches_along(x.size(3), patch);
  const int64_t high = rows * patch - x.size(2), wide = columns * patch - x.size(3);
  const at::Tensor whole = at::constant_pad_nd(x, {wide / 2, wide - wide / 2, high / 2, high - high / 2});
  return whole.view({x.size(0), 3, rows, patch, columns, patch})
      .permute({0, 2, 4, 1, 3, 5})
      .reshape({x.size(0), rows * columns, 3, patch, patch});
}

at::Tensor places_of(const at::Tensor& x, const MusiqConfig& config) {
  const int64_t rows = patches_along(x.size(2), config.patch_size);
  const int64_t columns = patches_along(x.size(3), config.patch_size);
  std::vector<int64_t> places;
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t column = 0; column < columns; ++column)
      places.push_back(musiq_place(row, rows, config.grid_size) * config.grid_size +
                       musiq_place(column, columns, config.grid_size));
  return at::tensor(places, at::kLong).to(x.device());
}

// The frame at every size; the original size is last.
std::vector<at::Tensor> sizes_of(const at::Tensor& pictures, const MusiqConfig& config) {
  std::vector<at::Tensor> out;
  for (const int64_t longer : config.longer_sides) {
    const PictureSize size = musiq_size({pictures.size(2), pictures.size(3)}, longer);
    SGF_CHECK(size.height > 0 && size.width > 0, "MUSIQ cannot score a frame as thin as {}x{}", pictures.size(2),
              pictures.size(3));
    out.push_back(at::upsample_bicubic2d(pictures, {size.height, size.width}, /*align_corners=*/false));
  }
  out.push_back(pictures);
  return out;
}

}  // namespace

int64_t musiq_place(int64_t index, int64_t count, int64_t grid_size) { return index * grid_size / count; }

MusiqPatches musiq_patches(const at::Tensor& pictures, const MusiqConfig& config) {
  std::vector<at::Tensor> patches, places, scales;
  MusiqPatches out;
  for (const at::Tensor& x : sizes_of(pictures, config)) {
    patches.push_back(cut(x, config.patch_size));
    places.push_back(places_of(x, config));
    scales.push_back(at::full_like(places.back(), static_cast<int64_t>(scales.size())));
    out.counts.push_back(patches.back().size(1));
  }
  out.patches = at::cat(patches, 1);
  out.places = at::cat(places);
  out.scales = at::cat(scales);
  return out;
}

}  // namespace sgf
