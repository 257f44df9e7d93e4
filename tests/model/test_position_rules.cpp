// Streaming position rules, held against a recomputation without any cache.
#include "tests/model/tiny_dit.h"

#include <gtest/gtest.h>

namespace sgf {
namespace {

using testing::Case;
using testing::relative_l2;
using testing::small_config;

// The rule's plain meaning: for every frame its un-rotated keys and values as they were written, then one attention per
// block with angles from the list of positions alone. Written with a graph-free cache of all frames and hand-made
// windows, so that neither KvCache's ring nor its eviction takes part.
class PlainMemory final : public ContextCache {
 public:
  PlainMemory(ContextPolicy policy, int64_t layers, int64_t per_frame)
      : policy_(policy), per_frame_(per_frame), keys_(static_cast<size_t>(layers)), values_(keys_) {}

  const ContextPolicy& policy() const override { return policy_; }

  KeysValues with_history(int64_t layer, FrameSpan block, const KeysValues& own) const override {
    std::vector<at::Tensor> keys, values;
    for (int64_t f = 0; f < block.begin; ++f) {
      const bool in_sink = f < policy_.sink_frames, in_fifo = f >= block.begin - policy_.fifo_frames;
      if (!in_sink && !in_fifo) continue;
      keys.push_back(keys_[static_cast<size_t>(layer)].at(static_cast<size_t>(f)));
      values.push_back(values_[static_cast<size_t>(layer)].at(static_cast<size_t>(f)));
    }
    keys.push_back(own.keys);
    values.push_back(own.values);
    return {at::cat(keys, 1), at::cat(values, 1)};
  }

  void write(int64_t layer, FrameSpan block, const KeysValues& own) override {
    for (int64_t f = 0; f < block.frames(); ++f) {
      keys_[static_cast<size_t>(layer)].push_back(own.keys.narrow(1, f * per_frame_, per_frame_).clone());
      values_[static_cast<size_t>(layer)].push_back(own.values.narrow(1, f * per_frame_, per_frame_).clone());
    }
  }

 private:
  ContextPolicy policy_;
  int64_t per_frame_;
  std::vector<std::vector<at::Tensor>> keys_, values_;
};

class EveryRule : public ::testing::TestWithParam<PositionKind> {};

TEST_P(EveryRule, TheRingGivesWhatAnEverGrowingMemoryGives) {
  const at::NoGradGuard no_grad;
  const PositionRule rule{GetParam(), /*train_frames=*/7};
  for (const auto& [policy, block] :
       std::vector<std::pair<ContextPolicy, int64_t>>{{{.sink_frames = 2, .fifo_frames = 3}, 1},
                                                      {{.sink_frames = 3, .fifo_frames = 3}, 3},
                                                      {{.sink_frames = 1, .fifo_frames = 4}, 2},
                                                      {{.sink_frames = 0, .fifo_frames = 2}, 3}}) {
    const BlockLayout layout(12, block);
    const Case c(small_config(), 1, 12, 11);
    KvCache ring = c.cache(policy, layout);
    PlainMemory plain(policy, 2, 6);
    EXPECT_LT(relative_l2(c.serial(ring, layout, rule), c.serial(plain, layout, rule)), 1e-12);
  }
}

INSTANTIATE_TEST_SUITE_P(Rules, EveryRule,
                         ::testing::Values(PositionKind::kAbsolute, PositionKind::kContiguous,
                                           PositionKind::kTopAligned));

// One layer, one block of history: attention recomputed from scratch with the rule's numbers typed in by hand.
TEST(PositionRules, TopAlignedAttentionIsThatOfHandWrittenPositions) {
  const at::NoGradGuard no_grad;
  const Case c(small_config(2, 2), 1, 8, 12);
  const ContextPolicy policy{.sink_frames = 1, .fifo_frames = 2};
  const BlockLayout layout(8, 1);
  // Block 7 sees frames 0, 5, 6 and itself; trained on 5 frames: sink at 0, then 2, 3 and 4.
  const PositionRule top{PositionKind::kTopAligned, 5};
  EXPECT_EQ(top.positions(policy, {7, 8}), (std::vector<int64_t>{0, 2, 3, 4}));
  const PositionRule contiguous{PositionKind::kContiguous, 0};
  EXPECT_EQ(contiguous.positions(policy, {7, 8}), (std::vector<int64_t>{0, 1, 2, 3}));
  // With training range 4 both rules name the same positions, so the streams are the same; with 5 they are not.
  KvCache a = c.cache(policy, layout), b = c.cache(policy, layout), d = c.cache(policy, layout);
  const at::Tensor by_contiguous = c.serial(a, layout, contiguous);
  EXPECT_LT(relative_l2(c.serial(b, layout, {PositionKind::kTopAligned, 4}), by_contiguous), 1e-12);
  EXPECT_GT(relative_l2(c.serial(d, layout, top), by_contiguous), 1e-4);
}

TEST(PositionRules, RotaryAttentionSeesDifferencesOfPositionsAlone) {
  const at::NoGradGuard no_grad;
  // Without a sink, absolute and contiguous positions differ by one shift for all that a block sees.
  const Case c(small_config(), 1, 9, 13);
  const ContextPolicy policy{.sink_frames = 0, .fifo_frames = 3};
  const BlockLayout layout(9, 1);
  KvCache a = c.cache(policy, layout), b = c.cache(policy, layout);
  const at::Tensor absolute = c.serial(a, layout), contiguous = c.serial(b, layout, {PositionKind::kContiguous, 0});
  EXPECT_LT(relative_l2(contiguous, absolute), 1e-11);
}

TEST(PositionRules, NoCeilingOnPositions) {
  const at::NoGradGuard no_grad;
  const Case c(small_config(), 1, 1, 14);
  const ContextPolicy policy{.sink_frames = 0, .fifo_frames = 1};
  KvCache cache(policy, c.dit.cache_shape(c.noisy, 1, 0), c.noisy.options());
  const PromptText prompt = c.dit.prepare(c.text);
  const int64_t far = 5'000'000;
  const at::Tensor early = c.dit.forward(c.noisy, c.timesteps(1), prompt, Serial{cache, {0, 1}, {}});
  KvCache later(policy, c.dit.cache_shape(c.noisy, 1, 0), c.noisy.options());
  c.dit.write(c.clean, prompt, Serial{later, {0, 1}, {}});
  // A block far along, whose history was written one frame before it.
  KvCache distant({.sink_frames = 0, .fifo_frames = 0}, c.dit.cache_shape(c.noisy, 1, 0), c.noisy.options());
  const at::Tensor late = c.dit.forward(c.noisy, c.timesteps(1), prompt, Serial{distant, {far, far + 1}, {}});
  EXPECT_LT(relative_l2(late, early), 1e-7);  // alone, only differences of positions count
}

}  // namespace
}  // namespace sgf
