// The measurement knows true clips from others, says what changed and only that, and never takes absence for a small
// error. Its own error on true clips is known.
#include "sgf/world/measure.h"

#include "../core/refusal.h"
#include "sgf/world/render.h"
#include "sgf/world/vision.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <gtest/gtest.h>

#include <cmath>

namespace sgf {
namespace {

constexpr int64_t kClips = 24, kFrames = 33, kWindow = 12;

class EveryWorldMeasured : public testing::TestWithParam<const char*> {
 protected:
  // Pictures this small gain nothing from threads, and on a busy machine wait long for them.
  EveryWorldMeasured() { at::set_num_threads(1); }
  ~EveryWorldMeasured() override { at::set_num_threads(threads_); }

  WorldScene scene(int64_t clip) const { return draw_scene(preset_, 3, clip); }
  at::Tensor video(const WorldScene& scene, FrameSpan frames = {0, kFrames}) const {
    return render(preset_, scene, frames);
  }
  // `later` takes over after the first window.
  at::Tensor spliced(const WorldScene& first, const WorldScene& later) const {
    return at::cat({video(first, {0, kWindow}), video(later, {kWindow, kFrames})});
  }
  SegmentScore after_window(const at::Tensor& clip, const WorldScene& scene) const {
    return measure(clip.slice(0, 0, kFrames), scene.caption(), preset_, {.segment_frames = kWindow}).segments.at(1);
  }
  SegmentScore whole(const at::Tensor& clip, const WorldCaption& caption) const {
    return measure(clip, caption, preset_).whole;
  }

  WorldPreset preset_ = world_preset(GetParam());
  int threads_ = at::get_num_threads();
};

INSTANTIATE_TEST_SUITE_P(World, EveryWorldMeasured, testing::Values("world-tiny", "world-small"));

TEST_P(EveryWorldMeasured, TrueClipsScoreNearOneAndClipsUnderOtherCaptionsUnderATenth) {
  std::vector<SegmentScore> own, other;
  for (int64_t i = 0; i < kClips; ++i) {
    const at::Tensor clip = video(scene(i));
    own.push_back(whole(clip, scene(i).caption()));
    other.push_back(whole(clip, scene(i + 1).caption()));
  }
  const SegmentScore truth = mean_score(own), wrong = mean_score(other);
  EXPECT_GT(truth.valid, 0.95);
  EXPECT_LT(wrong.valid, 0.1);
  EXPECT_GT(truth.objects.front().presence, 0.95);
  EXPECT_LT(truth.objects.front().identity_error, 0.06);
  EXPECT_LT(truth.background_error, 0.005);
  EXPECT_LT(truth.background_drift, 0.005);
  EXPECT_LT(truth.landmark_drift, 0.01);
  EXPECT_LT(truth.rerender_error, 0.06);
  EXPECT_NEAR(truth.objects.front().motion, 1, 0.1);
  EXPECT_NEAR(truth.motion_energy, 1, 0.25);
  EXPECT_NEAR(truth.sharpness, 1, 0.25);
}

// The analysis against the factors that the pictures were rendered from.
TEST_P(EveryWorldMeasured, FindsTheFactorsThatWereRendered) {
  double centre = 0, radius = 0, hue = 0, found = 0;
  for (int64_t i = 0; i < kClips; ++i) {
    const WorldScene truth = scene(i);
    const at::Tensor clip = video(truth, {0, 10}).contiguous();
    for (int64_t f = 0; f < 10; ++f) {
      const FrameFactors seen =
          look_at({clip.data_ptr<float>() + f * clip.stride(0), preset_.size}, preset_, truth.caption());
      EXPECT_EQ(seen.count, preset_.objects);
      for (size_t j = 0; j < truth.objects.size(); ++j) {
        ASSERT_TRUE(seen.objects[j].has_value());
        const Point at = truth.objects[j].centre(f);
        centre += std::hypot(seen.objects[j]->centre.x - at.x, seen.objects[j]->centre.y - at.y);
        radius += std::abs(seen.objects[j]->radius / truth.objects[j].radius - 1);
        hue += hue_distance(seen.objects[j]->hue, truth.objects[j].hue);
        found += 1;
      }
    }
  }
  EXPECT_LT(centre / found, 0.25) << "pixels";
  EXPECT_LT(radius / found, 0.05);
  EXPECT_LT(hue / found, 1.0) << "degrees";
}

TEST_P(EveryWorldMeasured, FramesOneByOneAreTheShareOfValidFrames) {
  const WorldScene first = scene(0);
  at::Tensor video = render(preset_, {{first, {0, 12}}})[0];
  video.slice(0, 8, 12).fill_(0.5);  // four frames without anything
  const std::vector<FrameScore> frames = measure_frames(video, first.caption(), preset_);
  ASSERT_EQ(frames.size(), 12U);
  int64_t valid = 0;
  for (const FrameScore& frame : frames) valid += frame.valid;
  EXPECT_DOUBLE_EQ(static_cast<double>(valid) / 12, measure(video, first.caption(), preset_).whole.valid);
  EXPECT_TRUE(frames[0].valid && frames[0].present[0]);
  EXPECT_FALSE(frames[9].valid || frames[9].present[0]);
}

TEST_P(EveryWorldMeasured, AnotherClipOfTheSameCaptionIsValidButNotTheSame) {
  std::vector<SegmentScore> same, swapped;
  for (int64_t i = 0; i < kClips; ++i) {
    const WorldScene first = scene(i), later = draw_scene(preset_, 3, i + 1000, first.caption());
    same.push_back(after_window(spliced(first, first), first));
    swapped.push_back(after_window(spliced(first, later), first));
  }
  const SegmentScore kept = mean_score(same), lost = mean_score(swapped);
  EXPECT_GT(lost.valid, 0.95);
  EXPECT_LT(kept.objects[0].identity_error, 0.06);
  EXPECT_GT(lost.objects[0].identity_error, 0.3);
  EXPECT_GT(*lost.objects[0].hue_drift, 10 * *kept.objects[0].hue_drift);
  EXPECT_GT(*lost.objects[0].size_drift, 3 * *kept.objects[0].size_drift);
  EXPECT_GT(*lost.objects[0].pattern_error, 0.6);
  EXPECT_LT(*kept.objects[0].pattern_error, 0.1);
  EXPECT_GT(lost.landmark_drift, 0.6);
  EXPECT_GT(lost.background_drift, 10 * kept.background_drift);
  EXPECT_GT(lost.rerender_error, 2 * kept.rerender_error);
}

TEST_P(EveryWorldMeasured, AnAbsentObjectIsAbsentAndNoSmallError) {
  const WorldScene first = scene(0);
  WorldScene without = first;
  without.objects[0].radius = 1e-6;
  const SegmentScore gone = after_window(spliced(first, without), first);
  const SegmentScore kept = after_window(spliced(first, first), first);
  EXPECT_EQ(gone.valid, 0);
  EXPECT_EQ(gone.count_right, 0);
  EXPECT_EQ(gone.objects[0].presence, 0);
  EXPECT_EQ(gone.objects[0].identity_error, 1);
  EXPECT_EQ(gone.objects[0].motion, 0);
  EXPECT_FALSE(gone.objects[0].colour_error || gone.objects[0].hue_drift || gone.objects[0].size_drift ||
               gone.objects[0].pattern_error);
  EXPECT_GT(gone.rerender_error, 3 * kept.rerender_error);
}

TEST_P(EveryWorldMeasured, AnObjectThatTheFirstWindowLacksHasNoIdentityToKeep) {
  const WorldScene later = scene(0);
  WorldScene without = later;
  without.objects[0].radius = 1e-6;
  const SegmentScore score = after_window(spliced(without, later), later);
  EXPECT_GT(score.objects[0].presence, 0.9);
  EXPECT_EQ(score.objects[0].identity_error, 1);
  EXPECT_FALSE(score.objects[0].hue_drift.has_value());
}

TEST_P(EveryWorldMeasured, AFrozenVideoIsValidAndDoesNotMove) {
  const WorldScene truth = scene(1);
  const at::Tensor frozen = video(truth, {4, 5}).expand({kFrames, -1, -1, -1});
  const SegmentScore score = whole(frozen, truth.caption());
  EXPECT_EQ(score.valid, 1);
  EXPECT_EQ(score.objects[0].motion, 0);
  EXPECT_EQ(score.motion_energy, 0);
}

TEST_P(EveryWorldMeasured, ABlurredVideoIsLessSharp) {
  const WorldScene truth = scene(1);
  const at::Tensor clip = video(truth);
  const double sharp = whole(clip, truth.caption()).sharpness;
  EXPECT_LT(whole(at::avg_pool2d(clip, 3, 1, 1, false, false), truth.caption()).sharpness, 0.6 * sharp);
}

TEST_P(EveryWorldMeasured, NoiseAndEmptyPicturesAreNeverValid) {
  const WorldCaption caption = scene(2).caption();
  const at::Tensor grey = at::full({kFrames, 3, preset_.size, preset_.size}, 0.45);
  EXPECT_EQ(whole(grey, caption).valid, 0);
  EXPECT_EQ(whole(grey, caption).landmark_drift, 1);
  EXPECT_EQ(whole(at::zeros_like(grey), caption).valid, 0);
  EXPECT_EQ(whole(at::rand_like(grey), caption).valid, 0);
}

TEST_P(EveryWorldMeasured, SegmentsCoverTheVideoInOrder) {
  const WorldScene truth = scene(0);
  const WorldScore score = measure(video(truth), truth.caption(), preset_, {.segment_frames = 15});
  ASSERT_EQ(score.segments.size(), 3u);
  EXPECT_EQ(score.segments[0].frames, (FrameSpan{0, 15}));
  EXPECT_EQ(score.segments[2].frames, (FrameSpan{30, 33}));
  EXPECT_EQ(score.whole.frames, (FrameSpan{0, 33}));
}

TEST(Measure, RefusesAnotherSizeAndAnotherCaption) {
  const WorldPreset preset = world_preset("world-tiny");
  const WorldCaption one = draw_caption(preset, 1, 1), two = draw_caption(world_preset("world-small"), 1, 1);
  EXPECT_THAT(refusal_of([&] {
                measure(at::zeros({4, 3, 48, 48}), one, preset);
              }),
              testing::HasSubstr("[F, 3, 16, 16], got [4, 3, 48, 48]"));
  EXPECT_THAT(refusal_of([&] {
                measure(at::zeros({4, 3, 16, 16}), two, preset);
              }),
              testing::HasSubstr("the caption names 2"));
}

}  // namespace
}  // namespace sgf
