// A scene is a pure function of (seed, clip), its frames are in closed form, and its objects keep apart.
#include "sgf/world/scene.h"

#include "../core/refusal.h"

#include <gtest/gtest.h>

#include <cmath>

namespace sgf {
namespace {

constexpr int64_t kClips = 100;

class EveryWorld : public testing::TestWithParam<const char*> {
 protected:
  WorldPreset preset_ = world_preset(GetParam());
};

INSTANTIATE_TEST_SUITE_P(World, EveryWorld, testing::Values("world-tiny", "world-small"));

// What no caption names, as numbers.
std::vector<double> hidden_factors(const WorldScene& scene) {
  std::vector<double> all = {scene.gradient, static_cast<double>(scene.landmarks.size())};
  for (const Landmark& mark : scene.landmarks) all.insert(all.end(), {mark.centre.x, mark.centre.y, mark.hue});
  for (const SceneObject& object : scene.objects) {
    const SurfacePattern& p = object.pattern;
    all.insert(all.end(), {object.hue - hue_of(object.words.colour), object.radius, static_cast<double>(p.kind),
                           p.angle, p.period, p.phase, std::copysign(1, object.x.velocity)});
  }
  return all;
}

// The gap between two boxes along the axis that separates them; negative where they overlap.
double gap(const SceneObject& a, const SceneObject& b, int64_t frame) {
  const Point pa = a.centre(frame), pb = b.centre(frame);
  const Point ha = half_extent(a.words.shape, a.radius), hb = half_extent(b.words.shape, b.radius);
  return std::max(std::abs(pa.x - pb.x) - ha.x - hb.x, std::abs(pa.y - pb.y) - ha.y - hb.y);
}

TEST_P(EveryWorld, DrawsTheSameSceneForTheSameClip) {
  EXPECT_EQ(hidden_factors(draw_scene(preset_, 1, 5)), hidden_factors(draw_scene(preset_, 1, 5)));
  EXPECT_EQ(draw_scene(preset_, 1, 5).caption(), draw_caption(preset_, 1, 5));
}

TEST_P(EveryWorld, DrawsAnotherForAnotherClipOrSeed) {
  EXPECT_NE(hidden_factors(draw_scene(preset_, 1, 5)), hidden_factors(draw_scene(preset_, 1, 6)));
  EXPECT_NE(hidden_factors(draw_scene(preset_, 1, 5)), hidden_factors(draw_scene(preset_, 2, 5)));
}

TEST_P(EveryWorld, LeavesWhatNoCaptionNamesAsItIsWhenTheCaptionIsGiven) {
  const WorldCaption given = draw_caption(preset_, 9, 9);
  const WorldScene scene = draw_scene(preset_, 1, 5, given);
  EXPECT_EQ(scene.caption(), given);
  EXPECT_NE(scene.caption(), draw_caption(preset_, 1, 5));
  const std::vector<double> free = hidden_factors(draw_scene(preset_, 1, 5)), bound = hidden_factors(scene);
  ASSERT_EQ(free.size(), bound.size());
  for (size_t i = 0; i < free.size(); ++i) EXPECT_NEAR(free[i], bound[i], 1e-9) << i;
}

TEST_P(EveryWorld, KeepsObjectsInThePictureAndApart) {
  for (int64_t clip = 0; clip < kClips; ++clip) {
    const WorldScene scene = draw_scene(preset_, 1, clip);
    for (int64_t frame = 0; frame < 1000; frame += 7) {
      for (const SceneObject& object : scene.objects) {
        const Point at = object.centre(frame), half = half_extent(object.words.shape, object.radius);
        const auto size = static_cast<double>(preset_.size);
        ASSERT_GE(std::min({at.x - half.x, at.y - half.y, size - at.x - half.x, size - at.y - half.y}), 0.99);
      }
      if (scene.objects.size() == 2) {
        ASSERT_GE(gap(scene.objects[0], scene.objects[1], frame), 1.99);
      }
    }
  }
}

// The control: in lanes that are the whole picture the same objects would meet.
TEST(World, ObjectsWithoutLanesWouldOverlap) {
  const WorldPreset preset = world_preset("world-small");
  int64_t meetings = 0;
  for (int64_t clip = 0; clip < kClips; ++clip) {
    WorldScene scene = draw_scene(preset, 1, clip);
    for (SceneObject& object : scene.objects) {
      const Point half = half_extent(object.words.shape, object.radius);
      object.x.low = half.x, object.x.high = 48 - half.x, object.y.low = half.y, object.y.high = 48 - half.y;
    }
    for (int64_t frame = 0; frame < 100; ++frame) meetings += gap(scene.objects[0], scene.objects[1], frame) < 0;
  }
  EXPECT_GT(meetings, kClips);
}

// Step by step, turning at the walls, as a simulation with state would.
TEST(World, ClosedFormIsTheWalkBetweenWalls) {
  const Bounce bounce{.low = 2, .high = 9.5, .start = 4, .velocity = -1.3};
  double at = bounce.start, velocity = bounce.velocity;
  for (int64_t frame = 0; frame < 500; ++frame) {
    ASSERT_NEAR(bounce.at(frame), at, 1e-9) << frame;
    at += velocity;
    if (at < bounce.low) at = 2 * bounce.low - at, velocity = -velocity;
    if (at > bounce.high) at = 2 * bounce.high - at, velocity = -velocity;
  }
}

TEST_P(EveryWorld, MovesAsFastAsTheWordSays) {
  for (int64_t clip = 0; clip < kClips; ++clip) {
    for (const SceneObject& object : draw_scene(preset_, 1, clip).objects) {
      EXPECT_NEAR(std::hypot(object.x.velocity, object.y.velocity), preset_.speed(object.words.speed), 1e-9);
    }
  }
}

TEST_P(EveryWorld, NamesEveryWordAndNoColourTwice) {
  std::vector<int64_t> seen(6, 0);
  for (int64_t clip = 0; clip < 6 * kClips; ++clip) {
    const WorldCaption caption = draw_caption(preset_, 1, clip);
    for (const ObjectWords& words : caption.objects) ++seen[static_cast<size_t>(words.colour)];
    if (caption.objects.size() == 2) {
      EXPECT_NE(caption.objects[0].colour, caption.objects[1].colour);
    }
  }
  const auto expected = static_cast<double>(kClips * preset_.objects);
  for (const int64_t count : seen) EXPECT_NEAR(static_cast<double>(count), expected, 5 * std::sqrt(expected));
}

TEST(World, RefusesAPresetThatIsNotThere) {
  EXPECT_THAT(refusal_of([] { world_preset("world-huge"); }), testing::HasSubstr("world-tiny, world-small"));
}

TEST(World, RefusesObjectsThatDoNotFit) {
  WorldPreset preset = world_preset("world-small");
  preset.radius.high = 12;
  EXPECT_THAT(refusal_of([&] { draw_scene(preset, 1, 1); }), testing::HasSubstr("must fit"));
}

TEST(World, RefusesACaptionOfAnotherNumberOfObjects) {
  const WorldCaption one = draw_caption(world_preset("world-tiny"), 1, 1);
  EXPECT_THAT(refusal_of([&] { draw_scene(world_preset("world-small"), 1, 1, one); }),
              testing::HasSubstr("the caption names 1"));
}

}  // namespace
}  // namespace sgf
