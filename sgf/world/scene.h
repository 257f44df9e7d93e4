// One clip of the world, described by its factors. A scene is a pure function of (preset, seed, clip), and every frame
// of it is in closed form: there is no state to step.
#pragma once

#include "sgf/world/preset.h"
#include "sgf/world/shape.h"

#include <cstdint>
#include <vector>

namespace sgf {

enum class PatternKind { kStripes, kDots };

// Dark marks on an object's surface; they move with it, and captions do not mention them.
struct SurfacePattern {
  PatternKind kind = PatternKind::kStripes;
  double angle = 0;   // radians
  double period = 1;  // pixels
  double phase = 0;   // radians, at the object's centre
};

constexpr double kPatternDepth = 0.4;  // the darkest mark has 1 - this of the brightness

// Moves back and forth between two walls at constant speed.
struct Bounce {
  double low = 0;
  double high = 0;
  double start = 0;     // within [low, high]
  double velocity = 0;  // pixels per frame, signed

  double at(int64_t frame) const;
};

struct SceneObject {
  ObjectWords words;
  // The factors below are not in the caption.
  double hue = 0;     // degrees, within kHueSpread of the word's
  double radius = 0;  // pixels
  SurfacePattern pattern;
  Bounce x;
  Bounce y;

  Point centre(int64_t frame) const { return {x.at(frame), y.at(frame)}; }
};

// A small fixed mark on the background.
struct Landmark {
  Point centre;
  double hue = 0;
};

struct WorldScene {
  BackgroundWord background = BackgroundWord::kBlack;
  double gradient = 0;  // added at the lower edge, subtracted at the upper edge
  std::vector<Landmark> landmarks;
  std::vector<SceneObject> objects;

  WorldCaption caption() const;
};

// Every object has its own lane, so objects never overlap.
WorldScene draw_scene(const WorldPreset& preset, uint64_t seed, int64_t clip);

// The same with given captioned factors: clips with one caption that differ in everything it does not name.
WorldScene draw_scene(const WorldPreset& preset, uint64_t seed, int64_t clip, const WorldCaption& caption);

// The caption that draw_scene(preset, seed, clip) uses.
WorldCaption draw_caption(const WorldPreset& preset, uint64_t seed, int64_t clip);

}  // namespace sgf
