#include "sgf/core/patch_grid.h"

#include "sgf/core/error.h"

namespace sgf {

PatchGrid::PatchGrid(int64_t height, int64_t width, int64_t patch_height, int64_t patch_width)
    : rows_(height / std::max<int64_t>(1, patch_height)), columns_(width / std::max<int64_t>(1, patch_width)) {
  SGF_CHECK(patch_height > 0 && patch_width > 0, "patch size must be positive, got {} x {}", patch_height, patch_width);
  SGF_CHECK(height > 0 && width > 0 && height % patch_height == 0 && width % patch_width == 0,
            "latent frames of {} x {} do not divide into patches of {} x {}", height, width, patch_height, patch_width);
}

}  // namespace sgf
