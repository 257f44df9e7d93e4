#include "sgf/model/block.h"

#include "sgf/kernels/gated_residual.h"
#include "sgf/kernels/layer_norm_modulate.h"
#include "sgf/kernels/linear_rows.h"
#include "sgf/kernels/wide.h"
#include "sgf/model/attention.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

namespace sgf {
namespace {

// Rows of the modulation, each [B, F, dim], wide.
struct Modulation {
  at::Tensor shift_a, scale_a, gate_a, shift_f, scale_f, gate_f;
};

Modulation modulation_rows(const at::Tensor& from_timestep, const at::Tensor& learned) {
  const auto rows = (from_timestep + wide(learned).unsqueeze(1)).unbind(2);
  return {rows[0], rows[1], rows[2], rows[3], rows[4], rows[5]};
}

void keep_frames_from(Modulation& m, int64_t frame) {
  for (at::Tensor* row : {&m.shift_a, &m.scale_a, &m.gate_a, &m.shift_f, &m.scale_f, &m.gate_f})
    *row = row->slice(1, frame);
}

KeysValues text_keys_values(const BlockWeights& weights, const BlockInput& input, const DitConfig& config) {
  if (input.text_keys_values.keys.defined()) return input.text_keys_values;
  // One node per block: its two gradients are summed here first, in the same order as when the block is recomputed.
  return own_keys_values(weights.cross_attn, input.text.alias(), config);
}

at::Tensor feed_forward(const BlockWeights& weights, const at::Tensor& x) {
  return linear(weights.ffn_out, linear_gelu(x, weights.ffn_in.weight, weights.ffn_in.bias));
}

}  // namespace

at::Tensor block_forward(const BlockWeights& weights, const BlockInput& input, const CallPlan& plan, BlockPlace place,
                         const DitConfig& config) {
  Modulation m = modulation_rows(input.modulation, weights.modulation);
  at::Tensor x = input.x;
  at::Tensor h = layer_norm_modulate(x, m.shift_a, m.scale_a, config.eps);
  const bool in_one = weights.self_attn.qkv.weight.defined() && !at::GradMode::is_enabled();
  const Projections projected = in_one ? project(weights.self_attn.qkv, h) : Projections{};
  const KeysValues own =
      in_one ? own_keys_values(weights.self_attn, projected, config) : own_keys_values(weights.self_attn, h, config);
  if (plan.serial_call == SerialCall::kWrite) {
    const Serial& serial = std::get<Serial>(plan.context);
    serial.cache.write(place.layer, serial.block, own);
    if (place.is_last) return {};
  }
  if (place.is_last && plan.context_frames > 0) {
    x = x.slice(1, plan.context_tokens());
    h = h.slice(1, plan.context_tokens());
    keep_frames_from(m, plan.context_frames);
  }
  const Queries queries{h, plan.context_frames > 0 && place.is_last ? at::Tensor() : projected.q,
                        place.is_last ? plan.last_query_rope : plan.query_rope,
                        place.is_last ? plan.last_region : plan.region};
  const KeysValues visible = visible_keys_values(plan, place.layer, own);
  x = gated_residual(x, self_attention(weights.self_attn, queries, visible, plan, config, place.memo), m.gate_a);
  const KeysValues text = text_keys_values(weights, input, config);
  x = x + cross_attention(weights.cross_attn,
                          layer_norm_affine(x, weights.norm3_weight, weights.norm3_bias, config.eps), text,
                          plan.backend, config);
  h = layer_norm_modulate(x, m.shift_f, m.scale_f, config.eps);
  return gated_residual(x, feed_forward(weights, h), m.gate_f);
}

}  // namespace sgf
