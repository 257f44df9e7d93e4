// The cache's storage: what it holds, that it never grows, what it refuses.
#include "sgf/context/kv_cache.h"

#include "sgf/core/error.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>
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

// A rotation of its own for every token that is read.
RopeTable table_of(const ContextPolicy& policy, const Reading& reading) {
  std::vector<double> angles;
  for (const int64_t position : reading.positions.positions(policy, reading.block))
    for (int64_t token = 0; token < kTokens; ++token)
      angles.push_back(0.1 * static_cast<double>(position) + 0.01 * static_cast<double>(token));
  const at::Tensor angle = at::tensor(angles, at::kDouble).unsqueeze(1);
  return {angle.cos(), angle.sin()};
}

void expect_reads_as_the_plain_twin(KvCache& cache, const Reading& reading, double own) {
  const at::NoGradGuard no_grad;
  const RopeTable rope = table_of(cache.policy(), reading);
  KeysValues mine = frames(reading.block);
  mine.keys = mine.keys + own;  // each step of a block has rows of its own
  const KeysValues read = cache.read(0, reading, mine, rope);
  const KeysValues plain = cache.ContextCache::read(0, reading, mine, rope);
  EXPECT_TRUE(at::equal(read.keys, plain.keys)) << "block " << reading.block.begin;
  EXPECT_TRUE(at::equal(read.values, plain.values)) << "block " << reading.block.begin;
}

TEST(KvCache, ReadsFromItsWindowWhatRotatingAllAgainWouldGive) {
  const PositionRule positions{PositionKind::kTopAligned, 12};
  for (const int64_t block : {int64_t{1}, int64_t{3}}) {
    KvCache cache = cache_for({.sink_frames = 3, .fifo_frames = 6}, block);
    for (int64_t i = 0; i < 30; ++i) {
      const Reading reading{{i * block, (i + 1) * block}, positions};
      for (const double step : {0.25, 0.5, 0.75}) expect_reads_as_the_plain_twin(cache, reading, step);
      cache.write(0, reading.block, frames(reading.block));
      expect_reads_as_the_plain_twin(cache, reading, 1);  // the block again, after it was written
    }
  }
}

TEST(KvCache, LaysItsWindowOutAnewWhenHistoryPositionsOrPolicyChange) {
  const ContextPolicy policy{.sink_frames = 2, .fifo_frames = 3};
  KvCache cache = cache_for(policy, 1);
  for (int64_t i = 0; i < 8; ++i) cache.write(0, {i, i + 1}, frames({i, i + 1}));
  const Reading reading{{8, 9}, {PositionKind::kTopAligned, 6}};
  expect_reads_as_the_plain_twin(cache, reading, 0);
  expect_reads_as_the_plain_twin(cache, {{8, 9}, {PositionKind::kAbsolute, 0}}, 0);
  KeysValues other = frames({7, 8});
  other.keys = other.keys + 100;
  cache.write(0, {7, 8}, other);
  expect_reads_as_the_plain_twin(cache, reading, 0);
  ContextPolicy later = policy;
  later.recent_begin = 7;
  cache.change_policy(later);
  expect_reads_as_the_plain_twin(cache, reading, 0);
  cache.clear();
  EXPECT_THROW(expect_reads_as_the_plain_twin(cache, reading, 0), Error);
}

}  // namespace
}  // namespace sgf
