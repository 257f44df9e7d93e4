// One clip of the world as its factors. A scene is a pure function of (preset,
// seed, clip), and every frame of it is in closed form: there is no state to
// step.
#pragma once

#include "sgf/world/preset.h"
#include "sgf/world/shape.h"

#include <cstdint>
#include <vector>

namespace sgf {

enum class PatternKind { kStripes, kDots };

// Dark marks on an object's surface; they move with it and no caption names
// them.
struct SurfacePattern {
  PatternKind kind = PatternKind::kStripes;
  double angle = 0;   // radians
  double period = 1;  // pixels
  double phase = 0;   // radians, at the object's centre
};

constexpr double kPatternDepth = 0.4;  // the darkest mark keeps 1 - this of the brightness

// Back and forth between two walls at a constant speed.
struct Bounce {
  double low = 0;
  double high = 0;
  double start = 0;     // within [low, high]
  double velocity = 0;  // pixels a frame, signed

  double at(int64_t frame) const;
};

struct SceneObject {
  ObjectWords words;
  // From here on uncaptioned.
  double hue = 0;     // degrees, within kHueSpread of the word's
  double radius = 0;  // pixels
  SurfacePattern pattern;
  Bounce x;
  Bounce y;

  Point centre(int64_t frame) const { return {x.at(frame), y.at(frame)}; }
};

// A small mark of the background that stays where it is.
struct Landmark {
  Point centre;
  double hue = 0;
};

struct WorldScene {
  BackgroundWord background = BackgroundWord::kBlack;
  double gradient = 0;  // added at the lower edge, taken away at the upper
  std::vector<Landmark> landmarks;
  std::vector<SceneObject> objects;

  WorldCaption caption() const;
};

// Objects live in lanes of their own and so never overlap.
WorldScene draw_scene(const WorldPreset& preset, uint64_t seed, int64_t clip);

// The same with the captioned factors given: clips of one caption that differ
// in all that it does not name.
WorldScene draw_scene(const WorldPreset& preset, uint64_t seed, int64_t clip, const WorldCaption& caption);

// The caption that draw_scene(preset, seed, clip) is given.
WorldCaption draw_caption(const WorldPreset& preset, uint64_t seed, int64_t clip);

}  // namespace sgf
