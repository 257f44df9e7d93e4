// Classical image analysis of one frame of the world: where its objects are, what they look like, and the fit of its
// background. It knows only the caption's words.
#pragma once

#include "sgf/world/backdrop.h"
#include "sgf/world/preset.h"
#include "sgf/world/shape.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace sgf {

// An object found in a frame.
struct FoundObject {
  Point centre;                        // of its box, as in a scene
  double radius = 0;                   // of the disc with its area
  double hue = 0;                      // degrees
  ShapeWord shape = ShapeWord::kDisc;  // the outline that covers it best
  double overlap = 0;                  // intersection over union with that outline, in [0, 1]
};

struct FrameFactors {
  std::vector<std::optional<FoundObject>> objects;  // in the caption's order; empty if none has its
                                                    // colour
  int64_t count = 0;                                // objects of any colour
  BackgroundFit background;
  std::vector<uint8_t> covered;  // [size, size]: 1 on objects and within two pixels of them

  bool is_covered(int64_t y, int64_t x, int64_t size) const { return covered[static_cast<size_t>(y * size + x)] != 0; }
};

FrameFactors look_at(const FrameView& frame, const WorldPreset& preset, const WorldCaption& caption);

// Whether a found object is the one that these words name, in a size that the world has. Every metric uses this rule.
bool is_named(const FoundObject& object, const ObjectWords& words, const WorldPreset& preset);

}  // namespace sgf
