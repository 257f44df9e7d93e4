#include "sgf/model/causal_dit.h"

#include "sgf/context/kv_cache.h"
#include "sgf/core/error.h"
#include "sgf/kernels/wide.h"
#include "sgf/model/attention.h"
#include "sgf/model/block.h"
#include "sgf/model/call_plan.h"
#include "sgf/model/embeddings.h"
#include "sgf/model/recompute.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include <memory>
#include <utility>

namespace sgf {
namespace {

// The sequence a call runs on: latents [B, F, C, H, W] and timesteps [B, F], context first in a parallel call.
struct Sequence {
  at::Tensor latents;
  at::Tensor t;
};

Sequence sequence_of(const at::Tensor& latents, const at::Tensor& t, const CallPlan& plan) {
  if (plan.context_frames == 0) return {latents, t};
  const Parallel& mode = std::get<Parallel>(plan.context);
  const at::Tensor context = mode.context.narrow(1, 0, plan.context_frames).to(latents.options());
  const at::Tensor context_t = at::full({t.size(0), plan.context_frames}, mode.context_timestep, t.options());
  return {at::cat({context, latents}, 1), at::cat({context_t, t}, 1)};
}

std::vector<at::Tensor> block_parameters(const BlockWeights& weights) {
  std::vector<at::Tensor> out;
  visit_block(weights, [&](const std::string&, const at::Tensor& t) { out.push_back(t); });
  return out;
}

BlockWeights block_from_parameters(const std::vector<at::Tensor>& tensors, size_t first) {
  BlockWeights weights;
  visit_block(weights, [&](const std::string&, at::Tensor& t) { t = tensors[first++]; });
  return weights;
}

void check_timesteps(const at::Tensor& latents, const at::Tensor& t) {
  SGF_CHECK(t.dim() == 2 && t.size(0) == latents.size(0) && t.size(1) == latents.size(1),
            "timesteps must be [B, F] = [{}, {}], got {} dimensions", latents.size(0), latents.size(1), t.dim());
}

}  // namespace

CausalDit::CausalDit(DitConfig config, DitWeights weights, DitOptions options)
    : config_(std::move(config)), weights_(std::move(weights)), options_(options) {
  config_.validate();
}

PromptText CausalDit::embed(const at::Tensor& text) const { return {embed_text(config_, weights_, text), {}}; }

PromptText CausalDit::prepare(const at::Tensor& text) const {
  PromptText prompt = embed(text);
  for (const BlockWeights& block : weights_.blocks)
    prompt.per_layer.push_back(own_keys_values(block.cross_attn, prompt.embedded, config_));
  return prompt;
}

at::Tensor CausalDit::forward(const at::Tensor& latents, const at::Tensor& t, const PromptText& text,
                              const AttentionContext& context) const {
  const PatchGrid grid = patch_grid(config_, latents);
  check_timesteps(latents, t);
  const CallInput input{grid, latents.size(1), config_.head_width(), weights_.head.weight, ropes_};
  const CallPlan plan = plan_call(context, input, options_.attention, SerialCall::kDenoise);
  const Sequence sequence = sequence_of(latents, t, plan);
  const TimestepEmbedding time = embed_timesteps(config_, weights_, sequence.t);
  const at::Tensor x = run_blocks(embed_patches(config_, weights_, sequence.latents), time.blocks, text, plan);
  return apply_head(config_, weights_, x, time.frame.slice(1, plan.context_frames), grid);
}

void CausalDit::write(const at::Tensor& clean, const PromptText& text, const Serial& context, double timestep) const {
  const CallInput input{patch_grid(config_, clean), clean.size(1), config_.head_width(), weights_.head.weight, ropes_};
  const CallPlan plan = plan_call(context, input, options_.attention, SerialCall::kWrite);
  const at::Tensor t =
      at::full({clean.size(0), clean.size(1)}, timestep, clean.options().dtype(at::kDouble).requires_grad(false));
  const TimestepEmbedding time = embed_timesteps(config_, weights_, t);
  run_blocks(embed_patches(config_, weights_, clean), time.blocks, text, plan);
}

bool CausalDit::lay_out(const Serial& context, const at::Tensor& latents) const {
  const PatchGrid grid = patch_grid(config_, latents);
  const std::vector<int64_t> positions = context.positions.positions(context.cache.policy(), context.block);
  const at::Tensor& like = weights_.head.weight;
  context.cache.lay_out({context.block, context.positions}, ropes_.of(positions, grid, config_.head_width(), like));
  return ropes_.keeps(positions, grid, config_.head_width());
}

KvCacheShape CausalDit::cache_shape(const at::Tensor& latents, int64_t largest_block, int64_t max_frames) const {
  return {.layers = config_.num_layers,
          .batch = latents.size(0),
          .tokens_per_frame = patch_grid(config_, latents).tokens_per_frame(),
          .heads = config_.num_heads,
          .head_width = config_.head_width(),
          .largest_block = largest_block,
          .max_frames = max_frames};
}

at::Tensor CausalDit::run_blocks(at::Tensor x, const at::Tensor& modulation, const PromptText& text,
                                 const CallPlan& plan) const {
  for (size_t layer = 0; layer < weights_.blocks.size(); ++layer) {
    const KeysValues text_kv = text.per_layer.empty() ? KeysValues{} : text.per_layer[layer];
    x = run_block(layer, {x, modulation, text.embedded, text_kv}, plan);
  }
  return x;
}

at::Tensor CausalDit::run_block(size_t layer, const BlockInput& input, const CallPlan& plan) const {
  BlockPlace place{static_cast<int64_t>(layer), layer + 1 == weights_.blocks.size()};
  // A serial call reads and writes a cache, which is not an input of a recomputed piece, so its graph is kept in full.
  const bool is_serial = std::holds_alternative<Serial>(plan.context);
  const bool keep = is_serial || options_.activations == ActivationPolicy::kKeepAll || !at::GradMode::is_enabled();
  if (keep) return block_forward(weights_.blocks[layer], input, plan, place, config_);
  std::vector<at::Tensor> inputs{input.x, input.modulation, input.text};
  const bool has_text = input.text_keys_values.keys.defined();
  if (has_text) inputs.insert(inputs.end(), {input.text_keys_values.keys, input.text_keys_values.values});
  const size_t first_parameter = inputs.size();
  for (const at::Tensor& parameter : block_parameters(weights_.blocks[layer])) inputs.push_back(parameter);
  const bool keeps_attention = options_.activations == ActivationPolicy::kKeepAttention;
  const auto memo = keeps_attention ? std::make_shared<AttentionMemo>() : nullptr;
  place.memo = memo.get();
  const Piece piece = [plan, place, memo, has_text, first_parameter,
                       config = config_](const std::vector<at::Tensor>& in) {
    const BlockInput again{in[0], in[1], in[2], has_text ? KeysValues{in[3], in[4]} : KeysValues{}};
    return block_forward(block_from_parameters(in, first_parameter), again, plan, place, config);
  };
  return recomputed(piece, inputs);
}

at::TensorOptions latent_options(const CausalDit& dit) {
  const at::Tensor& like = dit.weights().head.weight;
  return at::TensorOptions().device(like.device()).dtype(wide_type(like.scalar_type()));
}

}  // namespace sgf
