// The sizes of a world: the size of its frames, how many objects move in them, and the ranges of the factors.
#pragma once

#include "sgf/world/words.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sgf {

struct Range {
  double low = 0;
  double high = 0;

  double at(double share) const { return low + share * (high - low); }
  double middle() const { return at(0.5); }
  auto operator<=>(const Range&) const = default;
};

// Lengths are in pixels.
struct WorldPreset {
  std::string name;
  int64_t size = 0;     // height and width
  int64_t objects = 0;  // 1 or 2
  Range radius;         // of the disc with the object's area
  Range period;         // of an object's surface pattern
  double slow = 0;      // pixels per frame
  double fast = 0;
  double landmark_radius = 0;
  int64_t min_landmarks = 3;
  int64_t max_landmarks = 5;
  double gradient = 0.08;  // largest background change from half height to an edge
  int64_t codec_patch = 4;
  int64_t codec_bands = 0;     // keeps frequencies i + j below this for every patch and colour; 0: every pixel
  double codec_spread = 0.19;  // pixels are divided by it; with larger values noise hides them sooner
  int64_t text_len = 16;
  int64_t text_dim = 32;

  double speed(SpeedWord word) const { return word == SpeedWord::kSlow ? slow : fast; }
  void validate() const;
  auto operator<=>(const WorldPreset&) const = default;
};

// `world-tiny` (16 x 16, one object: tests on a CPU) or
// `world-small` (48 x 48, two objects: the study and the demo).
WorldPreset world_preset(std::string_view name);
std::vector<std::string> world_preset_names();

// The world whose captions name as many objects as this one.
WorldPreset world_of_caption(const WorldCaption& caption);

}  // namespace sgf
