// Serial cache and parallel reconstruction are one computation: outputs and gradients, for any window.
#include "sgf/model/block.h"
#include "sgf/model/call_plan.h"
#include "sgf/model/embeddings.h"
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

// Sink and FIFO need not be whole blocks; the first block may differ. Up to eight blocks: with five, hardly one setting
// in ten hides a frame from a context row that a later block reads.
RandomSetting random_setting(std::mt19937& random) {
  const auto between = [&](int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(random);
  };
  const int64_t block = between(1, 3), blocks = between(1, 8);
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

// What context rows see before themselves: their window as they must, or all earlier context.
enum class ContextRows { kWindowed, kUnwindowed };

// The rule for frames before the block, typed out: neither policy nor mask is asked.
bool in_window(const ContextPolicy& policy, FrameSpan block, int64_t frame) {
  return frame < policy.sink_frames || frame >= block.begin - policy.fifo_frames;
}

constexpr int64_t kFrameTokens = 6;

TokenRange tokens_of(FrameSpan frames) { return {frames.begin * kFrameTokens, frames.frames() * kFrameTokens}; }

// Rows of [context | noisy]: noisy ones always keep the window, context ones as `rows` says.
AttentionRegion hand_made_region(const RandomSetting& s, int64_t context_frames, ContextRows rows) {
  const int64_t tokens = (context_frames + s.layout.frames()) * kFrameTokens;
  AttentionRegion region{tokens, tokens, {}};
  for (int64_t i = 0; i < s.layout.count(); ++i) {
    const FrameSpan block = s.layout.block(i);
    const TokenRange context = tokens_of(block);
    const TokenRange noisy = tokens_of({context_frames + block.begin, context_frames + block.end});
    std::vector<TokenRange> context_keys{context}, noisy_keys{noisy};
    for (int64_t f = 0; f < block.begin; ++f) {
      const bool seen = in_window(s.policy, block, f);
      if (seen) noisy_keys.push_back(tokens_of({f, f + 1}));
      if (seen || rows == ContextRows::kUnwindowed) context_keys.push_back(tokens_of({f, f + 1}));
    }
    if (block.end <= context_frames) region.rectangles.push_back({{context}, context_keys});
    region.rectangles.push_back({{noisy}, noisy_keys});
  }
  return region;
}

// Pass 2 layer by layer, as the network runs it, with the rows above in place of its own.
at::Tensor hand_made_parallel(const Case& c, const RandomSetting& s, ContextRows rows) {
  const DitWeights& w = c.dit.weights();
  const PatchGrid grid(4, 6, 2, 2);
  const ReconstructionMask mask(s.policy, s.layout);
  CallPlan plan = plan_call(Parallel{c.clean, mask, GradientBoundary::kOpenContext},
                            {grid, s.layout.frames(), s.config.head_width(), w.head.weight}, AttentionBackend::kMath,
                            SerialCall::kDenoise);
  const int64_t context = plan.context_frames;
  plan.region = hand_made_region(s, context, rows);
  const at::Tensor t = at::cat({c.timesteps(context) * 0, c.timesteps(s.layout.frames())}, 1);
  const TimestepEmbedding time = embed_timesteps(s.config, w, t);
  const at::Tensor text = embed_text(s.config, w, c.text);
  at::Tensor x = embed_patches(s.config, w, at::cat({c.clean.slice(1, 0, context), c.noisy}, 1));
  for (int64_t layer = 0; layer < s.config.num_layers; ++layer)
    x = block_forward(w.blocks[static_cast<size_t>(layer)], {x, time.blocks, text, {}}, plan,
                      {layer, layer + 1 == s.config.num_layers}, s.config);
  return apply_head(s.config, w, x, time.frame.slice(1, context), grid);
}

// The first block that reads a context row from which a frame was hidden; the count of blocks where there is none.
// One layer has no such row: its keys and values are made before any row attends. Without a FIFO there is none
// either: only the sink is read, and its rows see all before them.
int64_t first_reader_of_a_windowed_row(const RandomSetting& s) {
  if (s.config.num_layers == 1 || s.policy.fifo_frames == 0) return s.layout.count();
  for (int64_t i = 0; i + 1 < s.layout.count(); ++i)
    for (int64_t f = 0; f < s.layout.block(i).begin; ++f)
      if (!in_window(s.policy, s.layout.block(i), f)) return i + 1;
  return s.layout.count();
}

// The control: the settings of the agreement again, with context rows that see all of the past.
TEST(TwoPasses, UnwindowedContextRowsDifferFromTheFirstBlockThatReadsAnEvictedPast) {
  const at::NoGradGuard no_grad;
  std::mt19937 random(1);
  int64_t broken = 0;
  for (int i = 0; i < 200; ++i) {
    const RandomSetting s = random_setting(random);
    const Case c(s.config, s.batch, s.layout.frames(), static_cast<uint64_t>(i));
    KvCache cache = c.cache(s.policy, s.layout);
    const at::Tensor serial = c.serial(cache, s.layout);
    ASSERT_LT(relative_l2(hand_made_parallel(c, s, ContextRows::kWindowed), serial), 1e-11) << describe(s);
    const at::Tensor unwindowed = hand_made_parallel(c, s, ContextRows::kUnwindowed);
    const int64_t first = first_reader_of_a_windowed_row(s);
    for (int64_t b = 0; b < s.layout.count(); ++b) {
      const FrameSpan span = s.layout.block(b);
      const double apart =
          relative_l2(unwindowed.slice(1, span.begin, span.end), serial.slice(1, span.begin, span.end));
      ASSERT_TRUE(b < first ? apart < 1e-11 : apart > 1e-6) << apart << " at block " << b << ": " << describe(s);
    }
    broken += first < s.layout.count();
  }
  EXPECT_GE(broken, 30);  // 200 settings without eviction would say nothing
}

// The same mistake on the other side: context written with all of the past in sight, then read through the window.
TEST(TwoPasses, ACacheWrittenUnwindowedBreaksTheAgreement) {
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
