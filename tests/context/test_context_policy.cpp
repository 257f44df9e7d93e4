// Which frames a block sees, and at which positions.
#include "sgf/context/context_policy.h"
#include "sgf/context/position_rule.h"
#include "sgf/core/error.h"
#include "tests/context/typed_positions.h"

#include <gtest/gtest.h>

namespace sgf {
namespace {

TEST(ContextPolicy, FrameWiseOfThePaperSeesSinkAndSixteenFrames) {
  const ContextPolicy policy{.sink_frames = 4, .fifo_frames = 16};
  EXPECT_EQ(policy.visible_to({0, 1}).frames(), 0);
  EXPECT_EQ(policy.visible_to({2, 3}), (ContextView{{0, 2}, {2, 2}}));
  EXPECT_EQ(policy.visible_to({20, 21}), (ContextView{{0, 4}, {4, 20}}));
  EXPECT_EQ(policy.visible_to({100, 101}), (ContextView{{0, 4}, {84, 100}}));
}

TEST(ContextPolicy, ChunkWiseOfThePaperSeesSinkAndTwoChunks) {
  const ContextPolicy policy{.sink_frames = 3, .fifo_frames = 6};
  EXPECT_EQ(policy.visible_to({9, 12}), (ContextView{{0, 3}, {3, 9}}));
  EXPECT_EQ(policy.visible_to({12, 15}), (ContextView{{0, 3}, {6, 12}}));
}

// The definition, frame by frame, for sizes that are no multiples of the block.
TEST(ContextPolicy, FollowsTheRuleForAnySizes) {
  for (int64_t sink = 0; sink < 5; ++sink)
    for (int64_t fifo = 0; fifo < 6; ++fifo)
      for (int64_t a = 0; a < 12; ++a) {
        const ContextView view = ContextPolicy{sink, fifo}.visible_to({a, a + 2});
        int64_t seen = 0;
        for (int64_t f = 0; f < 14; ++f) {
          const bool expected = f < a && (f < sink || f >= a - fifo);
          EXPECT_EQ(view.contains(f), expected) << "S" << sink << " W" << fifo << " a" << a << " f" << f;
          seen += expected;
        }
        EXPECT_EQ(view.frames(), seen);
      }
}

TEST(ContextPolicy, RunsJoinWhereSinkAndRecentTouch) {
  const ContextPolicy policy{.sink_frames = 3, .fifo_frames = 4};
  EXPECT_EQ(policy.visible_to({7, 8}).runs(), (std::vector<FrameSpan>{{0, 7}}));
  EXPECT_EQ(policy.visible_to({8, 9}).runs(), (std::vector<FrameSpan>{{0, 3}, {4, 8}}));
  EXPECT_TRUE(policy.visible_to({0, 1}).runs().empty());
}

TEST(ContextPolicy, EverythingIsEveryEarlierFrame) {
  EXPECT_EQ(ContextPolicy::everything().visible_to({1000000, 1000003}).frames(), 1000000);
}

TEST(ContextPolicy, NegativeSizesAreRefused) {
  EXPECT_THROW((ContextPolicy{.sink_frames = -1, .fifo_frames = 2}.validate()), Error);
}

TEST(PositionRule, AbsoluteIsTheFrameItself) {
  const ContextPolicy policy{.sink_frames = 1, .fifo_frames = 2};
  EXPECT_EQ(PositionRule{}.positions(policy, {9, 11}), (std::vector<int64_t>{0, 7, 8, 9, 10}));
}

TEST(PositionRule, TopAlignedNeverLeavesTheTrainedRange) {
  const ContextPolicy policy{.sink_frames = 4, .fifo_frames = 16};
  const PositionRule rule{PositionKind::kTopAligned, 21};
  for (const int64_t a : {0, 5, 20, 21, 961, 5'000'000}) {
    const auto positions = rule.positions(policy, {a, a + 1});
    EXPECT_EQ(positions.back(), std::min<int64_t>(a, 20));
    for (size_t i = 1; i < positions.size(); ++i) EXPECT_LT(positions[i - 1], positions[i]);
    EXPECT_GE(positions.front(), 0);
  }
}

TEST(PositionRule, TopAlignedChunkWiseEndsAtElevenOfTwelve) {
  const ContextPolicy policy{.sink_frames = 3, .fifo_frames = 6};
  const PositionRule rule{PositionKind::kTopAligned, 12};
  EXPECT_EQ(rule.positions(policy, {30, 33}), (std::vector<int64_t>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}));
  EXPECT_EQ(rule.own_positions(policy, {30, 33}), (std::vector<int64_t>{9, 10, 11}));
}

TEST(PositionRule, WithinTheTrainedRangeTopAlignedIsAbsolute) {
  const ContextPolicy policy{.sink_frames = 4, .fifo_frames = 16};
  for (int64_t a = 0; a < 21; ++a)
    EXPECT_EQ((PositionRule{PositionKind::kTopAligned, 21}.positions(policy, {a, a + 1})),
              PositionRule{}.positions(policy, {a, a + 1}));
}

TEST(PositionRule, EveryRuleGivesThePositionsTypedInByHand) {
  for (const testing::TypedStream& stream : testing::typed_streams()) {
    ASSERT_EQ(static_cast<int64_t>(stream.blocks.size()), stream.layout.count()) << stream.name;
    for (size_t i = 0; i < stream.blocks.size(); ++i) {
      const testing::TypedBlock& typed = stream.blocks[i];
      EXPECT_EQ(typed.block, stream.layout.block(static_cast<int64_t>(i))) << stream.name;
      for (const auto kind : {PositionKind::kAbsolute, PositionKind::kContiguous, PositionKind::kTopAligned})
        EXPECT_EQ((PositionRule{kind, stream.train_frames}.positions(stream.policy, typed.block)),
                  typed.positions(kind))
            << stream.name << ", block " << i << ", rule " << static_cast<int>(kind);
    }
  }
}

// The switch is at frame 15: sink 3, FIFO 6, blocks of 3.
TEST(ContextPolicy, ANewSinkIsSeenOnceTheFifoHasLeftItsBeginning) {
  const ContextPolicy policy{.sink_frames = 3, .fifo_frames = 6, .sink_begin = 15};
  EXPECT_EQ(policy.visible_to({15, 18}), (ContextView{{}, {9, 15}}));
  EXPECT_EQ(policy.visible_to({18, 21}), (ContextView{{}, {12, 18}}));
  EXPECT_EQ(policy.visible_to({21, 24}), (ContextView{{15, 18}, {18, 21}}));
  EXPECT_EQ(policy.visible_to({24, 27}), (ContextView{{15, 18}, {18, 24}}));
  EXPECT_EQ(policy.visible_to({30, 33}), (ContextView{{15, 18}, {24, 30}}));
  const PositionRule rule{PositionKind::kTopAligned, 12};
  EXPECT_EQ(rule.positions(policy, {30, 33}), (std::vector<int64_t>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}));
  EXPECT_EQ(rule.positions(policy, {18, 21}), (std::vector<int64_t>{3, 4, 5, 6, 7, 8, 9, 10, 11}));
}

TEST(ContextPolicy, WhatIsForgottenIsSeenByNobodyButTheSinkStays) {
  const ContextPolicy policy{.sink_frames = 3, .fifo_frames = 6, .recent_begin = 12};
  EXPECT_EQ(policy.visible_to({0, 3}), (ContextView{{0, 0}, {0, 0}}));
  EXPECT_EQ(policy.visible_to({12, 15}), (ContextView{{0, 3}, {12, 12}}));
  EXPECT_EQ(policy.visible_to({15, 18}), (ContextView{{0, 3}, {12, 15}}));
  EXPECT_EQ(policy.visible_to({21, 24}), (ContextView{{0, 3}, {15, 21}}));
}

TEST(PositionRule, AFrameThatIsNotSeenHasNoPosition) {
  EXPECT_THROW(PositionRule{}.position({.sink_frames = 1, .fifo_frames = 1}, {5, 6}, 2), Error);
}

}  // namespace
}  // namespace sgf
