// Slow-fast fusion: points of the tables that VBench's files have, and what lies between.
#include "sgf/vbench/slow_fast.h"

#include <gtest/gtest.h>

namespace sgf {
namespace {

TEST(SlowFast, PointsOfTheTablesMapToTheirValues) {
  EXPECT_DOUBLE_EQ(map_clip_to_clip(kSubjectMapping, 0.01), 0.655812085783768);
  EXPECT_DOUBLE_EQ(map_clip_to_clip(kBackgroundMapping, 0.02), 0.88392356992722);
  EXPECT_DOUBLE_EQ(map_clip_to_clip(kSubjectMapping, 1), 1);
}

TEST(SlowFast, BetweenPointsTheLineIsStraight) {
  const double middle = (kSubjectMapping[50] + kSubjectMapping[51]) / 2;
  EXPECT_NEAR(map_clip_to_clip(kSubjectMapping, 0.505), middle, 1e-15);
  EXPECT_DOUBLE_EQ(map_clip_to_clip(kSubjectMapping, 0.004), 0.4 * kSubjectMapping[1]);
}

TEST(SlowFast, OutsideTheTableItsEndsHold) {
  EXPECT_EQ(map_clip_to_clip(kBackgroundMapping, -0.3), 0);
  EXPECT_EQ(map_clip_to_clip(kBackgroundMapping, 1.2), 1);
}

TEST(SlowFast, BothTablesRise) {
  for (const MappingTable* table : {&kSubjectMapping, &kBackgroundMapping})
    for (size_t i = 1; i < table->size(); ++i) EXPECT_GE((*table)[i], (*table)[i - 1]) << i;
}

TEST(SlowFast, FusionIsHalfOfEach) {
  const FusedScore score = fuse_scores(0.9, 0.01, kSubjectMapping);
  EXPECT_DOUBLE_EQ(score.mapped, kSubjectMapping[1]);
  EXPECT_DOUBLE_EQ(score.fused, 0.5 * 0.9 + 0.5 * kSubjectMapping[1]);
}

TEST(SlowFast, WithoutAScoreBetweenClipsTheOneWithinStands) {
  EXPECT_EQ(fuse_scores(0.9, std::nullopt, kSubjectMapping).fused, 0.9);
  EXPECT_EQ(fuse_scores(0.9, 0.0, kSubjectMapping).fused, 0.9);  // upstream takes it for missing
}

}  // namespace
}  // namespace sgf
