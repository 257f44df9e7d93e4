// The Pass-2 rectangles are exactly the rule, token by token.
#include "sgf/context/reconstruction_mask.h"

#include <gtest/gtest.h>

namespace sgf {
namespace {

// How often each (query, key) pair is covered.
std::vector<std::vector<int>> coverage(const AttentionRegion& region) {
  std::vector<std::vector<int>> out(region.query_tokens, std::vector<int>(region.key_tokens, 0));
  for (const Rectangle& rect : region.rectangles)
    for (int64_t i = 0; i < rect.repeat; ++i)
      for (const TokenRange& q : rect.queries)
        for (const TokenRange& k : rect.keys)
          for (int64_t a = 0; a < q.count; ++a)
            for (int64_t b = 0; b < k.count; ++b) ++out[q.begin + i * q.count + a][k.begin + i * k.count + b];
  return out;
}

struct Token {
  FrameRole role;
  int64_t frame;
};

Token token(int64_t index, int64_t context_frames, int64_t per_frame) {
  const int64_t frame = index / per_frame;
  if (frame < context_frames) return {FrameRole::kContext, frame};
  return {FrameRole::kNoisy, frame - context_frames};
}

void expect_rule(const ContextPolicy& policy, const BlockLayout& layout) {
  const ReconstructionMask mask(policy, layout);
  const PatchGrid grid(2, 4, 2, 2);
  const int64_t context = mask.context_frames(), per_frame = grid.tokens_per_frame();
  const auto all = coverage(mask.region(grid)), noisy = coverage(mask.noisy_region(grid));
  for (size_t q = 0; q < all.size(); ++q)
    for (size_t k = 0; k < all.size(); ++k) {
      const Token from = token(static_cast<int64_t>(q), context, per_frame),
                  to = token(static_cast<int64_t>(k), context, per_frame);
      const int expected = mask.sees(from.role, from.frame, to.role, to.frame);
      ASSERT_EQ(all[q][k], expected) << "query " << q << " key " << k;
      if (from.role == FrameRole::kNoisy) {
        ASSERT_EQ(noisy[q - context * per_frame][k], expected);
      }
    }
}

TEST(ReconstructionMask, RectanglesCoverTheRuleOnceAndNothingElse) {
  for (const int64_t sink : {0, 1, 3, 4})
    for (const int64_t fifo : {0, 1, 2, 5})
      for (const int64_t block : {1, 2, 3})
        for (const int64_t first : {1, 2, 3}) expect_rule({sink, fifo}, BlockLayout(first + 3 * block, block, first));
}

TEST(ReconstructionMask, ContextRowsAreWindowedLikeTheCache) {
  const ReconstructionMask mask({.sink_frames = 1, .fifo_frames = 2}, BlockLayout(6, 1));
  EXPECT_TRUE(mask.sees(FrameRole::kContext, 4, FrameRole::kContext, 2));
  EXPECT_FALSE(mask.sees(FrameRole::kContext, 4, FrameRole::kContext, 1));
  EXPECT_TRUE(mask.sees(FrameRole::kContext, 4, FrameRole::kContext, 0));
}

TEST(ReconstructionMask, ContextNeverSeesNoisyAndNoisySeesNoOtherNoisyBlock) {
  const ReconstructionMask mask(ContextPolicy::everything(), BlockLayout(6, 2));
  EXPECT_FALSE(mask.sees(FrameRole::kContext, 5, FrameRole::kNoisy, 5));
  EXPECT_FALSE(mask.sees(FrameRole::kNoisy, 5, FrameRole::kNoisy, 3));
  EXPECT_TRUE(mask.sees(FrameRole::kNoisy, 5, FrameRole::kNoisy, 4));
  EXPECT_FALSE(mask.sees(FrameRole::kNoisy, 5, FrameRole::kContext, 4));
  EXPECT_TRUE(mask.sees(FrameRole::kNoisy, 5, FrameRole::kContext, 3));
}

TEST(ReconstructionMask, DropsTheLastContextBlockAndWhatNoSinkHolds) {
  EXPECT_EQ(ReconstructionMask({4, 16}, BlockLayout(21, 1)).context_frames(), 20);
  EXPECT_EQ(ReconstructionMask({3, 6}, BlockLayout(21, 3)).context_frames(), 18);
  EXPECT_EQ(ReconstructionMask({2, 0}, BlockLayout(21, 1)).context_frames(), 2);
  EXPECT_EQ(ReconstructionMask({0, 0}, BlockLayout(21, 1)).context_frames(), 0);
  EXPECT_EQ(ReconstructionMask({4, 4}, BlockLayout(3, 3)).context_frames(), 0);
}

TEST(ReconstructionMask, EqualBlocksShareOneBatchedRectangle) {
  const AttentionRegion region = ReconstructionMask({3, 6}, BlockLayout(21, 3)).region(PatchGrid(2, 2, 2, 2));
  EXPECT_EQ(region.rectangles[0].repeat, 6);  // context against itself
  EXPECT_EQ(region.rectangles[1].repeat, 7);  // noisy against itself
}

TEST(BlockCausalRegion, ABlockSeesItsWindowAndItself) {
  const BlockLayout layout(6, 2);
  const auto seen = coverage(block_causal_region({.sink_frames = 1, .fifo_frames = 1}, layout, PatchGrid(2, 2, 2, 2)));
  EXPECT_EQ(seen[4], (std::vector<int>{1, 0, 0, 1, 1, 1}));
  EXPECT_EQ(seen[0], (std::vector<int>{1, 1, 0, 0, 0, 0}));
  const auto all = coverage(block_causal_region(ContextPolicy::everything(), layout, PatchGrid(2, 2, 2, 2)));
  EXPECT_EQ(all[3], (std::vector<int>{1, 1, 1, 1, 0, 0}));
}

}  // namespace
}  // namespace sgf
