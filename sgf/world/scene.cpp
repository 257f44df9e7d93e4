#include "sgf/world/scene.h"

#include "sgf/core/counted.h"
#include "sgf/core/error.h"
#include "sgf/core/noise.h"

#include <cmath>
#include <numbers>

namespace sgf {
namespace {

using std::numbers::pi;

// The part of a scene that a draw is for; it is the noise key's block. Objects follow kFirstObject.
enum Part : int64_t { kBackgroundPart = 0, kLandmarkPart = 1, kLayoutPart = 2, kFirstObject = 16 };

// The draws of one part, in order; each uses its own step.
class Draws {
 public:
  Draws(uint64_t seed, int64_t clip, int64_t part)
      : key_{.seed = seed, .purpose = NoisePurpose::kWorld, .sample = clip, .block = part} {}

  double in(Range range) { return range.at(uniform_double(next())); }
  int64_t below(int64_t n) { return uniform_index(next(), n); }
  template <NamedEnum E>
  E word() {
    return static_cast<E>(below(word_count<E>()));
  }

 private:
  NoiseKey next() {
    const NoiseKey key = key_;
    ++key_.step;
    return key;
  }

  NoiseKey key_;
};

// Words use separate blocks, so that a given caption does not change any other draw.
constexpr int64_t kWordsOf = 1000;

ColourWord draw_other_colour(Draws& draws, const std::vector<ObjectWords>& taken) {
  const int64_t count = word_count<ColourWord>();
  int64_t colour = draws.below(count - static_cast<int64_t>(taken.size()));
  for (const ObjectWords& other : taken) {  // at most one: skip over it
    if (colour >= static_cast<int64_t>(other.colour)) ++colour;
  }
  return static_cast<ColourWord>(colour);
}

// The part of the frame in which one object stays.
struct Lane {
  Range x;
  Range y;
};

Lane draw_lane(const WorldPreset& preset, uint64_t seed, int64_t clip, int64_t object) {
  const Range whole{0, static_cast<double>(preset.size)};
  if (preset.objects == 1) return {whole, whole};
  Draws draws(seed, clip, kLayoutPart);
  const bool side_by_side = draws.below(2) == 1;
  const bool swapped = draws.below(2) == 1;
  const Range half = (object == 0) != swapped ? Range{0, whole.middle()} : Range{whole.middle(), whole.high};
  return side_by_side ? Lane{half, whole} : Lane{whole, half};
}

Bounce draw_bounce(Draws& draws, Range lane, double half_extent, double velocity) {
  Bounce bounce{.low = lane.low + half_extent + kLaneMargin, .high = lane.high - half_extent - kLaneMargin};
  bounce.start = draws.in({bounce.low, bounce.high});
  bounce.velocity = draws.below(2) == 1 ? velocity : -velocity;
  return bounce;
}

SurfacePattern draw_pattern(Draws& draws, const WorldPreset& preset) {
  SurfacePattern pattern;
  pattern.kind = draws.below(2) == 1 ? PatternKind::kDots : PatternKind::kStripes;
  pattern.angle = draws.in({0, pi});
  pattern.period = draws.in(preset.period);
  pattern.phase = draws.in({0, 2 * pi});
  return pattern;
}

SceneObject draw_object(const WorldPreset& preset, Draws draws, const Lane& lane, const ObjectWords& words) {
  SceneObject object{.words = words};
  object.hue = hue_of(words.colour) + draws.in({-kHueSpread, kHueSpread});
  object.radius = draws.in(preset.radius);
  object.pattern = draw_pattern(draws, preset);
  const double slant = draws.in({pi / 9, pi / 2 - pi / 9});  // never along a wall: every path covers its lane
  const double speed = preset.speed(words.speed);
  const Point half = half_extent(words.shape, object.radius);
  object.x = draw_bounce(draws, lane.x, half.x, speed * std::cos(slant));
  object.y = draw_bounce(draws, lane.y, half.y, speed * std::sin(slant));
  return object;
}

// Landmarks use different cells of a 3 x 3 grid and a random place inside, so that no two touch.
std::vector<Landmark> draw_landmarks(const WorldPreset& preset, Draws draws) {
  const double cell = static_cast<double>(preset.size) / 3;
  const double edge = std::min(preset.landmark_radius + 0.5, cell / 2);
  std::vector<int64_t> free = {0, 1, 2, 3, 4, 5, 6, 7, 8};
  std::vector<Landmark> landmarks(preset.min_landmarks + draws.below(preset.max_landmarks - preset.min_landmarks + 1));
  for (Landmark& landmark : landmarks) {
    const auto chosen = free.begin() + draws.below(static_cast<int64_t>(free.size()));
    const auto column = static_cast<double>(*chosen % 3), row = static_cast<double>(*chosen / 3);
    free.erase(chosen);
    landmark.centre = {column * cell + draws.in({edge, cell - edge}), row * cell + draws.in({edge, cell - edge})};
    landmark.hue = draws.in({0, 360});
  }
  return landmarks;
}

}  // namespace

// Unfolded, the path is a straight line; folding it at the walls gives a triangle wave.
double Bounce::at(int64_t frame) const {
  const double span = high - low;
  const double along = std::fmod(start - low + velocity * static_cast<double>(frame), 2 * span);
  const double folded = along < 0 ? along + 2 * span : along;
  return low + (folded <= span ? folded : 2 * span - folded);
}

WorldCaption WorldScene::caption() const {
  WorldCaption caption{.background = background};
  for (const SceneObject& object : objects) caption.objects.push_back(object.words);
  return caption;
}

WorldCaption draw_caption(const WorldPreset& preset, uint64_t seed, int64_t clip) {
  WorldCaption caption{.background = Draws(seed, clip, kWordsOf + kBackgroundPart).word<BackgroundWord>()};
  for (int64_t i = 0; i < preset.objects; ++i) {
    Draws draws(seed, clip, kWordsOf + kFirstObject + i);
    ObjectWords words{.speed = draws.word<SpeedWord>()};
    words.shape = draws.word<ShapeWord>();
    words.colour = draw_other_colour(draws, caption.objects);
    caption.objects.push_back(words);
  }
  return caption;
}

WorldScene draw_scene(const WorldPreset& preset, uint64_t seed, int64_t clip, const WorldCaption& caption) {
  preset.validate();
  SGF_CHECK(static_cast<int64_t>(caption.objects.size()) == preset.objects, "{} has {}, but the caption names {}",
            preset.name, counted(preset.objects, "object"), caption.objects.size());
  WorldScene scene{.background = caption.background};
  scene.gradient = Draws(seed, clip, kBackgroundPart).in({-preset.gradient, preset.gradient});
  scene.landmarks = draw_landmarks(preset, Draws(seed, clip, kLandmarkPart));
  for (int64_t i = 0; i < preset.objects; ++i) {
    scene.objects.push_back(draw_object(preset, Draws(seed, clip, kFirstObject + i), draw_lane(preset, seed, clip, i),
                                        caption.objects[static_cast<size_t>(i)]));
  }
  return scene;
}

WorldScene draw_scene(const WorldPreset& preset, uint64_t seed, int64_t clip) {
  return draw_scene(preset, seed, clip, draw_caption(preset, seed, clip));
}

}  // namespace sgf
