// The cache's storage: what it holds, that it never grows, what it refuses.
#include "sgf/context/kv_cache.h"

#include "sgf/core/error.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

namespace sgf {
namespace {

constexpr int64_t kTokens = 2;

KvCache cache_for(const ContextPolicy& policy, int64_t largest_block, int64_t max_frames = 0) {
  return KvCache(policy,
                 {.layers = 1,
                  .batch = 1,
                  .tokens_per_frame = kTokens,
                  .heads = 1,
                  .head_width = 2,
                  .largest_block = largest_block,
                  .max_frames = max_frames},
                 at::kDouble);
}

// Every value of a frame is the frame's number, so that what was read can be told.
KeysValues frames(FrameSpan span) {
  const at::Tensor numbers = at::arange(span.begin, span.end, at::kDouble).repeat_interleave(kTokens);
  const at::Tensor all = numbers.view({1, -1, 1, 1}).expand({1, -1, 1, 2}).contiguous();
  return {all, all + 0.5};
}

std::vector<int64_t> frames_read(const KvCache& cache, FrameSpan block) {
  const at::Tensor keys = cache.with_history(0, block, frames(block)).keys;
  std::vector<int64_t> out;
  for (int64_t i = 0; i < keys.size(1); i += kTokens) out.push_back(keys[0][i][0][0].item<int64_t>());
  return out;
}

TEST(KvCache, GivesWhatThePolicyShowsInOrderOfTimeForAThousandBlocks) {
  for (const auto& [policy, block] :
       std::vector<std::pair<ContextPolicy, int64_t>>{{{.sink_frames = 4, .fifo_frames = 16}, 1},
                                                      {{.sink_frames = 3, .fifo_frames = 6}, 3},
                                                      {{.sink_frames = 2, .fifo_frames = 5}, 3},
                                                      {{.sink_frames = 0, .fifo_frames = 1}, 2}}) {
    KvCache cache = cache_for(policy, block);
    const int64_t bytes = cache.bytes();
    for (int64_t i = 0; i < 1000; ++i) {
      const FrameSpan span{i * block, (i + 1) * block};
      std::vector<int64_t> expected;
      for (int64_t f = 0; f < span.end; ++f)
        if (f >= span.begin || f < policy.sink_frames || f >= span.begin - policy.fifo_frames) expected.push_back(f);
      ASSERT_EQ(frames_read(cache, span), expected) << "block " << i;
      cache.write(0, span, frames(span));
    }
    EXPECT_EQ(cache.bytes(), bytes);
    EXPECT_EQ(cache.capacity_frames(), policy.sink_frames + policy.fifo_frames + block);
  }
}

TEST(KvCache, ServesAnUnevenFirstBlock) {
  const BlockLayout layout(10, 3, 1);
  const ContextPolicy policy{.sink_frames = 1, .fifo_frames = 4};
  KvCache cache = cache_for(policy, layout.largest_block());
  for (int64_t i = 0; i < layout.count(); ++i) cache.write(0, layout.block(i), frames(layout.block(i)));
  EXPECT_EQ(frames_read(cache, {10, 13}), (std::vector<int64_t>{0, 6, 7, 8, 9, 10, 11, 12}));
}

TEST(KvCache, KeepsNoGraph) {
  KvCache cache = cache_for({.sink_frames = 1, .fifo_frames = 1}, 1);
  KeysValues own = frames({0, 1});
  own.keys.requires_grad_();
  cache.write(0, {0, 1}, own);
  EXPECT_FALSE(cache.with_history(0, {1, 2}, frames({1, 2})).keys.requires_grad());
}

TEST(KvCache, RefusesFramesItDoesNotHoldAndBlocksItWasNotMadeFor) {
  KvCache cache = cache_for({.sink_frames = 1, .fifo_frames = 1}, 1);
  EXPECT_THROW(frames_read(cache, {3, 4}), Error);
  EXPECT_THROW(cache.write(0, {0, 2}, frames({0, 2})), Error);
  EXPECT_THROW(cache_for(ContextPolicy::everything(), 1), Error);
  EXPECT_NO_THROW(cache_for(ContextPolicy::everything(), 1, /*max_frames=*/21));
}

}  // namespace
}  // namespace sgf
