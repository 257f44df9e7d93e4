// Streaming position rules, held against a recomputation without any cache.
#include "sgf/kernels/rectangle_attention.h"
#include "sgf/model/attention.h"
#include "sgf/model/embeddings.h"
#include "sgf/model/rope_table.h"
#include "tests/context/typed_positions.h"
#include "tests/model/tiny_dit.h"

#include <gtest/gtest.h>

namespace sgf {
namespace {

using testing::Case;
using testing::relative_l2;
using testing::small_config;
using testing::typed_streams;
using testing::TypedBlock;
using testing::TypedStream;

// The rules' plain meaning, without a cache, policy or rule: both streams of all blocks, layer by layer, every block
// attending to the frames typed in for it, each key turned to the position at which this block reads it.
class PlainRecomputation {
 public:
  PlainRecomputation(const Case& c, const TypedStream& stream, PositionKind kind)
      : c_(c), config_(c.dit.config()), stream_(stream), kind_(kind), grid_(4, 6, 2, 2) {}

  at::Tensor flow() const {
    const DitWeights& w = c_.dit.weights();
    const at::Tensor text = embed_text(config_, w, c_.text);
    const at::Tensor t = c_.timesteps(stream_.layout.frames());
    const TimestepEmbedding noisy_time = embed_timesteps(config_, w, t);
    const TimestepEmbedding clean_time = embed_timesteps(config_, w, t * 0);
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
  at::Tensor attend(const at::Tensor& q, const KeysValues& own, const KeysValues& context,
                    const TypedBlock& typed) const {
    const FrameSpan span = typed.block;
    const std::vector<int64_t>& positions = typed.positions(kind_);
    std::vector<at::Tensor> keys, values;
    for (const int64_t f : typed.frames) {
      const KeysValues& source = span.contains(f) ? own : context;
      keys.push_back(source.keys.narrow(1, f * 6, 6));
      values.push_back(source.values.narrow(1, f * 6, 6));
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
    for (const TypedBlock& typed : stream_.blocks) parts.push_back(attend(q, own, context, typed));
    at::Tensor x = in + row(block, time, 2) * linear(block.self_attn.o, at::cat(parts, 1).flatten(2));
    const at::Tensor normed = at::layer_norm(x, {config_.dim}, block.norm3_weight, block.norm3_bias, config_.eps);
    x = x + cross_attention(block.cross_attn, normed, own_keys_values(block.cross_attn, text, config_),
                            AttentionBackend::kMath, config_);
    const at::Tensor f = modulated(x, row(block, time, 3), row(block, time, 4));
    return x + row(block, time, 5) * linear(block.ffn_out, at::gelu(linear(block.ffn_in, f), "tanh"));
  }

  const Case& c_;
  const DitConfig& config_;
  const TypedStream& stream_;
  PositionKind kind_;
  PatchGrid grid_;
};

class EveryRule : public ::testing::TestWithParam<PositionKind> {};

TEST_P(EveryRule, TheCacheGivesWhatARecomputationWithoutOneGives) {
  const at::NoGradGuard no_grad;
  for (const TypedStream& stream : typed_streams()) {
    const Case c(small_config(), 1, stream.layout.frames(), 11);
    KvCache cache = c.cache(stream.policy, stream.layout);
    const at::Tensor streamed = c.serial(cache, stream.layout, {GetParam(), stream.train_frames});
    EXPECT_LT(relative_l2(streamed, PlainRecomputation(c, stream, GetParam()).flow()), 1e-12) << stream.name;
  }
}

TEST(PositionRules, ARecomputationUnderAnotherRuleDisagrees) {
  const at::NoGradGuard no_grad;
  const std::vector<TypedStream> streams = typed_streams();
  const TypedStream& stream = streams.front();
  const Case c(small_config(), 1, stream.layout.frames(), 11);
  KvCache cache = c.cache(stream.policy, stream.layout);
  const at::Tensor top = c.serial(cache, stream.layout, {PositionKind::kTopAligned, stream.train_frames});
  for (const auto other : {PositionKind::kAbsolute, PositionKind::kContiguous})
    EXPECT_GT(relative_l2(top, PlainRecomputation(c, stream, other).flow()), 1e-4);
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
