// Streaming position rules, held against a recomputation without any cache.
#include "sgf/kernels/rectangle_attention.h"
#include "sgf/model/attention.h"
#include "sgf/model/embeddings.h"
#include "sgf/model/rope_table.h"
#include "tests/model/tiny_dit.h"

#include <gtest/gtest.h>

namespace sgf {
namespace {

using testing::Case;
using testing::relative_l2;
using testing::small_config;

// The rules' plain meaning, without a cache: both streams of all blocks, layer by layer, every block attending to the
// frames the rule names, each key turned to the position at which this block reads it.
class PlainRecomputation {
 public:
  PlainRecomputation(const Case& c, ContextPolicy policy, BlockLayout layout, PositionRule rule)
      : c_(c), config_(c.dit.config()), policy_(policy), layout_(layout), rule_(rule), grid_(4, 6, 2, 2) {}

  at::Tensor flow() const {
    const DitWeights& w = c_.dit.weights();
    const at::Tensor text = embed_text(config_, w, c_.text);
    const TimestepEmbedding noisy_time = embed_timesteps(config_, w, c_.timesteps(layout_.frames()));
    const TimestepEmbedding clean_time = embed_timesteps(config_, w, c_.timesteps(layout_.frames()) * 0);
    at::Tensor clean = embed_patches(config_, w, c_.clean), noisy = embed_patches(config_, w, c_.noisy);
    for (const BlockWeights& block : w.blocks) {
      const KeysValues context = keys_values(block, clean, clean_time);
      noisy = layer(block, noisy, noisy_time, text, context);
      clean = layer(block, clean, clean_time, text, context);
    }
    return apply_head(config_, w, noisy, noisy_time.frame, grid_);
  }

 private:
  at::Tensor row(const BlockWeights& block, const TimestepEmbedding& time, int64_t index) const {
    return (time.blocks + block.modulation.unsqueeze(1)).select(2, index).repeat_interleave(6, 1);  // tokens of a frame
  }

  at::Tensor modulated(const at::Tensor& x, const at::Tensor& shift, const at::Tensor& scale) const {
    return at::layer_norm(x, {config_.dim}, {}, {}, config_.eps) * (1 + scale) + shift;
  }

  KeysValues keys_values(const BlockWeights& block, const at::Tensor& x, const TimestepEmbedding& time) const {
    return own_keys_values(block.self_attn, modulated(x, row(block, time, 0), row(block, time, 1)), config_);
  }

  // Attention of one block: history from the context stream, itself from its own.
  at::Tensor attend(const at::Tensor& q, const KeysValues& own, const KeysValues& context, FrameSpan span) const {
    std::vector<at::Tensor> keys, values;
    std::vector<int64_t> positions;
    for (int64_t f = 0; f < span.end; ++f) {
      const bool mine = f >= span.begin;
      if (!mine && f >= policy_.sink_frames && f < span.begin - policy_.fifo_frames) continue;
      keys.push_back((mine ? own : context).keys.narrow(1, f * 6, 6));
      values.push_back((mine ? own : context).values.narrow(1, f * 6, 6));
      positions.push_back(rule_.position(policy_, span, f));
    }
    const std::vector<int64_t> own_positions(positions.end() - span.frames(), positions.end());
    const at::Tensor turned_q = rotate_reference(q.narrow(1, span.begin * 6, span.frames() * 6),
                                                 rope_table(own_positions, grid_, config_.head_width(), q));
    const at::Tensor turned_k =
        rotate_reference(at::cat(keys, 1), rope_table(positions, grid_, config_.head_width(), q));
    return masked_attention_reference(turned_q, turned_k, at::cat(values, 1),
                                      at::ones({turned_q.size(1), turned_k.size(1)}, at::kBool));
  }

  at::Tensor layer(const BlockWeights& block, const at::Tensor& in, const TimestepEmbedding& time,
                   const at::Tensor& text, const KeysValues& context) const {
    const at::Tensor h = modulated(in, row(block, time, 0), row(block, time, 1));
    const at::Tensor q =
        normed_heads(linear(block.self_attn.q, h), block.self_attn.norm_q, config_.num_heads, config_.eps);
    const KeysValues own = keys_values(block, in, time);
    std::vector<at::Tensor> parts;
    for (int64_t i = 0; i < layout_.count(); ++i) parts.push_back(attend(q, own, context, layout_.block(i)));
    at::Tensor x = in + row(block, time, 2) * linear(block.self_attn.o, at::cat(parts, 1).flatten(2));
    const at::Tensor normed = at::layer_norm(x, {config_.dim}, block.norm3_weight, block.norm3_bias, config_.eps);
    x = x + cross_attention(block.cross_attn, normed, own_keys_values(block.cross_attn, text, config_),
                            AttentionBackend::kMath, config_);
    const at::Tensor f = modulated(x, row(block, time, 3), row(block, time, 4));
    return x + row(block, time, 5) * linear(block.ffn_out, at::gelu(linear(block.ffn_in, f), "tanh"));
  }

  const Case& c_;
  const DitConfig& config_;
  ContextPolicy policy_;
  BlockLayout layout_;
  PositionRule rule_;
  PatchGrid grid_;
};

class EveryRule : public ::testing::TestWithParam<PositionKind> {};

TEST_P(EveryRule, TheCacheGivesWhatARecomputationWithoutOneGives) {
  const at::NoGradGuard no_grad;
  const PositionRule rule{GetParam(), /*train_frames=*/7};
  for (const auto& [policy, block] :
       std::vector<std::pair<ContextPolicy, int64_t>>{{{.sink_frames = 2, .fifo_frames = 3}, 1},
                                                      {{.sink_frames = 3, .fifo_frames = 3}, 3},
                                                      {{.sink_frames = 1, .fifo_frames = 4}, 2},
                                                      {{.sink_frames = 0, .fifo_frames = 2}, 3}}) {
    const BlockLayout layout(12, block);
    const Case c(small_config(), 1, 12, 11);
    KvCache cache = c.cache(policy, layout);
    EXPECT_LT(relative_l2(c.serial(cache, layout, rule), PlainRecomputation(c, policy, layout, rule).flow()), 1e-12);
  }
}

TEST(PositionRules, ARecomputationUnderAnotherRuleDisagrees) {
  const at::NoGradGuard no_grad;
  const ContextPolicy policy{.sink_frames = 2, .fifo_frames = 3};
  const BlockLayout layout(12, 1);
  const Case c(small_config(), 1, 12, 11);
  KvCache cache = c.cache(policy, layout);
  const at::Tensor top = c.serial(cache, layout, {PositionKind::kTopAligned, 7});
  EXPECT_GT(relative_l2(top, PlainRecomputation(c, policy, layout, {}).flow()), 1e-4);
}

INSTANTIATE_TEST_SUITE_P(Rules, EveryRule,
                         ::testing::Values(PositionKind::kAbsolute, PositionKind::kContiguous,
                                           PositionKind::kTopAligned));

// The rules' numbers typed in by hand, and what follows for the streams.
TEST(PositionRules, TopAlignedIsContiguousWhereTheTrainedRangeIsTheWindow) {
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
  // A block far along that sees itself alone: what was a table of 1024 rows elsewhere is computed.
  KvCache distant({.sink_frames = 0, .fifo_frames = 0}, c.dit.cache_shape(c.noisy, 1, 0), c.noisy.options());
  const at::Tensor late = c.dit.forward(c.noisy, c.timesteps(1), prompt, Serial{distant, {far, far + 1}, {}});
  EXPECT_LT(relative_l2(late, early), 1e-7);  // alone, only differences of positions count
}

}  // namespace
}  // namespace sgf
