// How VBench-Long cuts videos and takes means.
#include "sgf/vbench/clip_scores.h"
#include "sgf/vbench/clip_split.h"
#include "tests/core/refusal.h"

namespace sgf {
namespace {

using Spans = std::vector<FrameSpan>;

TEST(ClipSplit, WholeClipsWhereNothingIsLeftOver) {
  EXPECT_EQ(split_into_clips(16, 64, 2).clips, (Spans{{0, 32}, {32, 64}}));
  EXPECT_EQ(split_into_clips(16, 960, 2).clips.size(), 30u);
}

TEST(ClipSplit, WhatIsLeftOverBecomesTheLastFullWindow) {
  EXPECT_EQ(split_into_clips(16, 81, 2).clips, (Spans{{0, 32}, {32, 64}, {49, 81}}));
  EXPECT_EQ(split_into_clips(16, 33, 2).clips, (Spans{{0, 32}, {1, 33}}));
}

TEST(ClipSplit, AVideoShorterThanAClipStaysWhole) {
  const ClipPlan plan = split_into_clips(16, 31, 2);
  EXPECT_EQ(plan.clips, (Spans{{0, 31}}));
  EXPECT_TRUE(plan.is_whole);
  EXPECT_FALSE(split_into_clips(16, 32, 2).is_whole);
}

TEST(ClipSplit, FractionsOfThePictureRateAreDropped) {
  const ClipPlan plan = split_into_clips(23.976, 120, 2);
  EXPECT_EQ(plan.clips, (Spans{{0, 46}, {46, 92}, {74, 120}}));
  EXPECT_EQ(plan.fps, 23);
}

TEST(ClipSplit, LessThanAPictureASecondIsRefused) {
  EXPECT_THAT(refusal_of([] { split_into_clips(0.5, 10, 2); }), ::testing::HasSubstr("0.5"));
}

// Two clips of one video, one of another.
const std::vector<ClipScore> kScores{{"a", "p", 0.2, 10}, {"a", "p", 0.4, 10}, {"b", "q", 0.9, 40}};

TEST(ClipScores, OverClipsEachClipCountsOnce) { EXPECT_DOUBLE_EQ(mean_over_clips(kScores), 0.5); }

TEST(ClipScores, OverVideosEachVideoCountsOnce) { EXPECT_DOUBLE_EQ(mean_over_videos(kScores), (0.3 + 0.9) / 2); }

TEST(ClipScores, OverPicturesLongClipsCountMore) { EXPECT_DOUBLE_EQ(mean_over_pictures(kScores), 42.0 / 60); }

TEST(ClipScores, NoScoreHasNoMean) {
  EXPECT_THAT(refusal_of([] { mean_over_clips({}); }), ::testing::HasSubstr("at least one score"));
}

TEST(StaticClips, FiveOfAPromptAreEnough) {
  StaticClipChoice choice;
  for (int i = 0; i < 5; ++i) {
    EXPECT_TRUE(choice.wants("p"));
    choice.take("p");
  }
  EXPECT_FALSE(choice.wants("p"));
  EXPECT_TRUE(choice.wants("q"));
}

TEST(StaticClips, OtherPromptsAreNotAskedFor) {
  const StaticClipChoice choice({"p"});
  EXPECT_TRUE(choice.wants("p"));
  EXPECT_FALSE(choice.wants("q"));
}

}  // namespace
}  // namespace sgf
