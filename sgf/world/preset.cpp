#include "sgf/world/preset.h"

#include "sgf/core/error.h"
#include "sgf/core/in_quotes.h"
#include "sgf/world/shape.h"

#include <fmt/ranges.h>

#include <algorithm>

namespace sgf {
namespace {

WorldPreset tiny_world() {
  return {.name = "world-tiny",
          .size = 16,
          .objects = 1,
          .radius = {3.0, 4.2},
          .period = {3.4, 5.0},
          .slow = 0.35,
          .fast = 0.8,
          .landmark_radius = 1.0,
          .codec_patch = 2};
}

// Speeds at which a prototype's models learned to tell the words apart.
WorldPreset small_world() {
  return {.name = "world-small",
          .size = 48,
          .objects = 2,
          .radius = {5.0, 7.0},
          .period = {4.5, 7.5},
          .slow = 1.0,
          .fast = 2.2,
          .landmark_radius = 1.8,
          .codec_patch = 4,
          .codec_bands = 3,
          .codec_spread = 0.45};
}

}  // namespace

void WorldPreset::validate() const {
  SGF_CHECK(objects == 1 || objects == 2, "objects must be 1 or 2, got {}", objects);
  SGF_CHECK(codec_patch > 0 && size > 0 && size % codec_patch == 0,
            "the frame size must be a multiple of the codec patch, got {} pixels "
            "and patches of {}",
            size, codec_patch);
  SGF_CHECK(codec_bands >= 0 && codec_bands < 2 * codec_patch && codec_spread > 0,
            "codec bands must be below {} for patches of {}, and the spread positive, got {} and {}", 2 * codec_patch,
            codec_patch, codec_bands, codec_spread);
  const double widest = 2 * half_extent(ShapeWord::kTriangle, radius.high).x + 2 * kLaneMargin;
  SGF_CHECK(radius.low > 0 && radius.low <= radius.high && widest < static_cast<double>(size / objects),
            "an object must fit in its part of the frame, got radius {} to {} in "
            "{} pixels for {}",
            radius.low, radius.high, size, objects);
  SGF_CHECK(0 < slow && slow < fast, "slow must be slower than fast, got {} and {}", slow, fast);
  SGF_CHECK(0 < min_landmarks && min_landmarks <= max_landmarks && max_landmarks <= 9,
            "landmarks must be 1 to 9, got {} to {}", min_landmarks, max_landmarks);
}

WorldPreset world_preset(std::string_view name) {
  for (const WorldPreset& preset : {tiny_world(), small_world()}) {
    if (preset.name == name) return preset;
  }
  fail("unknown world {}; expected {}", in_quotes(name), fmt::join(world_preset_names(), ", "));
}

std::vector<std::string> world_preset_names() { return {tiny_world().name, small_world().name}; }

WorldPreset world_of_caption(const WorldCaption& caption) {
  return std::ssize(caption.objects) == tiny_world().objects ? tiny_world() : small_world();
}

}  // namespace sgf
