// Serial cache and parallel reconstruction are one computation: outputs and gradients, for any window.
#include "tests/model/tiny_dit.h"

#include <gtest/gtest.h>

#include <random>

namespace sgf {
namespace {

using testing::Case;
using testing::largest_difference;
using testing::relative_l2;
using testing::small_config;

struct RandomSetting {
  ContextPolicy policy;
  BlockLayout layout;
  DitConfig config;
  int64_t batch;
};

// Sink and FIFO need not be whole blocks; the first block may differ.
RandomSetting random_setting(std::mt19937& random) {
  const auto between = [&](int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(random);
  };
  const int64_t block = between(1, 3), blocks = between(1, 5);
  const int64_t first = between(0, 2) == 0 ? between(1, 3) : block;
  return {{.sink_frames = between(0, 4), .fifo_frames = between(0, 5)},
          BlockLayout(first + block * (blocks - 1), block, first),
          small_config(between(1, 3), between(1, 3), between(2, 7)),
          between(1, 2)};
}

std::string describe(const RandomSetting& s) {
  return fmt::format("sink {} FIFO {} frames {} in {} blocks, first {}; {} heads, {} layers, batch {}",
                     s.policy.sink_frames, s.policy.fifo_frames, s.layout.frames(), s.layout.count(),
                     s.layout.block(0).frames(), s.config.num_heads, s.config.num_layers, s.batch);
}

TEST(TwoPasses, SerialAndParallelAgreeForTwoHundredRandomSettings) {
  const at::NoGradGuard no_grad;
  std::mt19937 random(1);
  for (int i = 0; i < 200; ++i) {
    const RandomSetting s = random_setting(random);
    const Case c(s.config, s.batch, s.layout.frames(), static_cast<uint64_t>(i));
    KvCache cache = c.cache(s.policy, s.layout);
    const at::Tensor serial = c.serial(cache, s.layout);
    const at::Tensor parallel = c.parallel(s.policy, s.layout, GradientBoundary::kOpenContext);
    for (int64_t b = 0; b < s.layout.count(); ++b) {
      const FrameSpan span = s.layout.block(b);
      ASSERT_LT(relative_l2(parallel.slice(1, span.begin, span.end), serial.slice(1, span.begin, span.end)), 1e-11)
          << "block " << b << ": " << describe(s);
    }
  }
}

TEST(TwoPasses, OpenContextHasTheGradientOfACacheThatKeepsItsGraph) {
  std::mt19937 random(2);
  for (int i = 0; i < 200; ++i) {
    const RandomSetting s = random_setting(random);
    const Case c(s.config, s.batch, s.layout.frames(), static_cast<uint64_t>(i));
    set_requires_grad(c.dit.weights(), true);
    GraphCache cache = c.graph_cache(s.policy);
    const auto serial = c.gradients(c.serial(cache, s.layout));
    const auto parallel = c.gradients(c.parallel(s.policy, s.layout, GradientBoundary::kOpenContext));
    ASSERT_LT(largest_difference(parallel, serial), 1e-10) << describe(s);
  }
}

TEST(TwoPasses, FrozenContextHasTheGradientOfADetachedCache) {
  std::mt19937 random(3);
  for (int i = 0; i < 200; ++i) {
    const RandomSetting s = random_setting(random);
    const Case c(s.config, s.batch, s.layout.frames(), static_cast<uint64_t>(i));
    set_requires_grad(c.dit.weights(), true);
    KvCache cache = c.cache(s.policy, s.layout);
    const auto serial = c.gradients(c.serial(cache, s.layout));
    const auto parallel = c.gradients(c.parallel(s.policy, s.layout, GradientBoundary::kFrozenContext));
    ASSERT_LT(largest_difference(parallel, serial), 1e-10) << describe(s);
  }
}

TEST(TwoPasses, TheBoundaryChangesTheGradientAndNotTheOutput) {
  const Case c(small_config(), 1, 6, 5);
  set_requires_grad(c.dit.weights(), true);
  const ContextPolicy policy{.sink_frames = 1, .fifo_frames = 3};
  const at::Tensor open = c.parallel(policy, BlockLayout(6, 1), GradientBoundary::kOpenContext);
  const at::Tensor frozen = c.parallel(policy, BlockLayout(6, 1), GradientBoundary::kFrozenContext);
  EXPECT_TRUE(at::equal(open, frozen));
  EXPECT_GT(largest_difference(c.gradients(open), c.gradients(frozen)), 1e-2);
}

// The control: what goes wrong when context rows see all of the past instead of their window.
TEST(TwoPasses, UnwindowedContextRowsBreakTheAgreement) {
  const at::NoGradGuard no_grad;
  const Case c(small_config(), 1, 6, 6);
  const ContextPolicy window{.sink_frames = 0, .fifo_frames = 2};
  const BlockLayout layout(6, 1);
  KvCache right = c.cache(window, layout);
  const at::Tensor serial = c.serial(right, layout);
  // Context written with everything visible, then read through the window.
  KvCache wide = c.cache(ContextPolicy::everything(), layout);
  c.serial(wide, layout);
  KvCache wrong = c.cache(window, layout);
  const PromptText prompt = c.dit.prepare(c.text);
  std::vector<at::Tensor> flows;
  const int64_t per_frame = 6;
  for (int64_t i = 0; i < layout.count(); ++i) {
    flows.push_back(c.dit.forward(c.noisy.slice(1, i, i + 1), c.timesteps(1), prompt, Serial{wrong, {i, i + 1}, {}}));
    for (int64_t layer = 0; layer < 2; ++layer) {
      const KeysValues held = wide.held(layer);
      wrong.write(layer, {i, i + 1},
                  {held.keys.narrow(1, i * per_frame, per_frame), held.values.narrow(1, i * per_frame, per_frame)});
    }
  }
  const at::Tensor unwindowed = at::cat(flows, 1);
  EXPECT_LT(relative_l2(unwindowed.slice(1, 0, 3), serial.slice(1, 0, 3)), 1e-11);
  EXPECT_GT(relative_l2(unwindowed.slice(1, 4, 6), serial.slice(1, 4, 6)), 1e-3);
  EXPECT_LT(relative_l2(c.parallel(window, layout, GradientBoundary::kOpenContext), serial), 1e-11);
}

TEST(TwoPasses, RunningABlockAgainChangesNothing) {
  const at::NoGradGuard no_grad;
  const Case c(small_config(), 1, 8, 7);
  const ContextPolicy policy{.sink_frames = 1, .fifo_frames = 3};
  const BlockLayout layout(8, 2);
  KvCache once = c.cache(policy, layout), twice = c.cache(policy, layout);
  const PromptText prompt = c.dit.prepare(c.text);
  for (int64_t i = 0; i < layout.count(); ++i) {
    const FrameSpan span = layout.block(i);
    const at::Tensor clean = c.clean.slice(1, span.begin, span.end);
    c.dit.write(clean, prompt, Serial{once, span, {}});
    c.dit.write(-clean, prompt, Serial{twice, span, {}});
    c.dit.write(clean, prompt, Serial{twice, span, {}});
  }
  EXPECT_EQ(once.held_frames(0), (std::vector<int64_t>{0, 3, 4, 5, 6, 7}));
  for (int64_t layer = 0; layer < 2; ++layer) {
    EXPECT_TRUE(at::equal(once.held(layer).keys, twice.held(layer).keys));
    EXPECT_TRUE(at::equal(once.held(layer).values, twice.held(layer).values));
  }
}

TEST(TwoPasses, DifferentSamplesOfABatchDoNotMix) {
  const at::NoGradGuard no_grad;
  const Case c(small_config(), 2, 4, 8);
  const ContextPolicy policy{.sink_frames = 1, .fifo_frames = 1};
  const at::Tensor both = c.parallel(policy, BlockLayout(4, 1), GradientBoundary::kOpenContext);
  Case alone = c;
  alone.noisy = c.noisy.slice(0, 1);
  alone.clean = c.clean.slice(0, 1);
  alone.text = c.text.slice(0, 1);
  const at::Tensor one = alone.parallel(policy, BlockLayout(4, 1), GradientBoundary::kOpenContext);
  EXPECT_LT(relative_l2(both.slice(0, 1), one), 1e-12);
}

}  // namespace
}  // namespace sgf
