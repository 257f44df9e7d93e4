// The demo's video files and strips: who stands where, how large, and what the bar says of the time.
#include "lab/demo/demo_pictures.h"

#include "tests/core/temporary_folder.h"
#include "tests/media/read_video.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

namespace sgf {
namespace {

// Two videos of eight frames: a dark and a bright one.
SideBySide dark_and_bright() {
  return {.prompt = "a dark and a bright field",
          .names = {"dark", "bright"},
          .videos = {at::full({8, 3, 16, 16}, 0.2), at::full({8, 3, 16, 16}, 0.8)},
          .train_frames = 4,
          .fps = 8};
}

double brightness(const at::Tensor& frame, int64_t y, int64_t x) {
  return frame.slice(1, y, y + 1).slice(2, x, x + 1).mean().item<double>();
}

TEST(DemoPictures, AllContestantsStandInOneVideoFourTimesAsLarge) {
  if (!can_write_videos()) GTEST_SKIP() << "this build writes no videos";
  const testing::TemporaryFolder folder;
  write_together(folder / "all.mp4", dark_and_bright());
  const at::Tensor video = testing::read_video(folder / "all.mp4");
  ASSERT_EQ(video.sizes(), (std::vector<int64_t>{8, 3, 4 * (16 + 2 + 2), 4 * (16 + 2 + 16)}));
  EXPECT_NEAR(brightness(video[5], 30, 30), 0.2, 0.03);
  EXPECT_NEAR(brightness(video[5], 30, 4 * 18 + 30), 0.8, 0.03);
}

TEST(DemoPictures, TheBarGrowsAndIsBrightWithinTheTrainingLength) {
  if (!can_write_videos()) GTEST_SKIP() << "this build writes no videos";
  const testing::TemporaryFolder folder;
  write_together(folder / "all.mp4", dark_and_bright());
  const at::Tensor video = testing::read_video(folder / "all.mp4");
  const int64_t bar = 4 * 18 + 4, early = 30, late = 120;
  EXPECT_LT(brightness(video[0], bar, early), 0.2);
  EXPECT_GT(brightness(video[3], bar, early), 0.85);
  EXPECT_LT(brightness(video[3], bar, late), 0.2);
  EXPECT_GT(brightness(video[7], bar, early), 0.85);
  EXPECT_NEAR(brightness(video[7], bar, late), 0.55, 0.1);
}

TEST(DemoPictures, StripsAreAsWideAsTheirMomentsAndStackUp) {
  const RgbImage one = draw_moments(dark_and_bright());
  EXPECT_GT(one.width, 8 * 3 * 16);
  EXPECT_GT(one.height, 2 * 3 * 16);
  const RgbImage two = stack_images({one, one});
  EXPECT_EQ(two.width, one.width);
  EXPECT_EQ(two.height, 2 * one.height);
  EXPECT_TRUE(std::equal(one.pixels.begin(), one.pixels.end(), two.pixels.begin()));
}

}  // namespace
}  // namespace sgf
