#include "sgf/training/planning/activation_memory.h"

#include "sgf/weights/weight_names.h"

#include <algorithm>

namespace sgf {
namespace {

int64_t elements(const WeightShape& weight) {
  int64_t count = 1;
  for (const int64_t size : weight.shape) count *= size;
  return count;
}

int64_t block_parameter_count(const DitConfig& config) {
  int64_t count = 0;
  for (const WeightShape& weight : expected_dit_weights(config))
    if (weight.name.starts_with("blocks.0.")) count += elements(weight);
  return count;
}

// One block of a training call. `row` and `key` are the bytes of a [tokens, dim] tensor of the query tokens and of the
// whole sequence; they differ in the last block of a parallel call. `inner` is one [query tokens, ffn_dim] tensor.
struct BlockBytes {
  int64_t row, key, inner;
  int64_t attention;   // self-attention's output and log-sum-exp
  int64_t small;       // norms' means and deviations, log-sum-exps, modulation rows
  int64_t sums;        // attention's gradients for q, k and v, wide, and converted
  int64_t quadratic;   // one matrix of scores, for plain attention
  int64_t parameters;  // their gradients

  BlockBytes(const CallSettings& s, int64_t rows, int64_t block_parameters) {
    const NumberWidths& w = s.widths;
    const DitConfig& m = s.model;
    row = s.batch * rows * m.dim * w.compute;
    key = s.batch * s.call.tokens * m.dim * w.compute;
    inner = s.batch * rows * m.ffn_dim * w.compute;
    const int64_t lse = s.batch * rows * m.num_heads * w.wide;
    attention = row + lse;
    constexpr int64_t kStatistics = 9, kModulationRows = 4;
    small = 2 * lse + kStatistics * s.batch * s.call.tokens * w.wide +
            kModulationRows * s.batch * s.call.frames * m.dim * w.wide;
    const int64_t copies = w.wide == w.compute ? 0 : row + 2 * key;
    sums = (row + 2 * key) / w.compute * w.wide + copies;
    quadratic =
        s.has_library_attention ? 0 : static_cast<int64_t>(s.call.largest_pairs) * s.batch * m.num_heads * w.wide;
    parameters = block_parameters * w.compute;
  }

  int64_t input() const { return key; }

  // Tensors kept by its graph beside the input: h, k before and after norm and rotation, v (whole sequence); q twice,
  // attention, o, x, norm3, cross q twice, cross attention, x, h, ffn out; the FFN before and after gelu.
  int64_t saved() const { return 4 * key + 12 * row + 2 * inner + small; }

  int64_t kept(ActivationPolicy activations) const {
    switch (activations) {
      case ActivationPolicy::kKeepAll:
        return input() + saved();
      case ActivationPolicy::kKeepAttention:
        return input() + attention;
      case ActivationPolicy::kRecomputeBlocks:
        break;
    }
    return input();
  }

  // Without graph: the peak in the FFN (x in, h, own k and v; x, h and out of the FFN), or in attention.
  int64_t forward() const {
    const int64_t ffn = 4 * key + 3 * row + 2 * inner;
    const int64_t attending = 6 * key + 3 * row + 3 * quadratic;
    return std::max(ffn, attending) + small;
  }

  // With graph, beside the kept tensors: k normed and un-rotated, a product before its addition, the output.
  int64_t forward_beside_graph() const { return key + 2 * row + 3 * quadratic; }

  // In addition to all that is kept for this block and those before it.
  int64_t backward(ActivationPolicy activations) const {
    const bool is_kept = activations == ActivationPolicy::kKeepAll;
    const int64_t memo = activations == ActivationPolicy::kKeepAttention ? attention : 0;
    const int64_t again = is_kept ? 0 : saved() + row - memo;
    // The gradient through the FFN's second product: incoming, of its output, of the inner activations; y is already
    // freed.
    const int64_t ffn = again + row + inner;
    // In attention: the second half of the block is already freed.
    const int64_t gone = 9 * row + 2 * inner;
    const int64_t attending = again - gone + 2 * row + sums + 4 * quadratic + parameters;
    return std::max(ffn, attending);
  }
};

// A latent-sized tensor, wide: inputs, noises, predictions, targets.
int64_t latents_bytes(const CallSettings& s) {
  constexpr int64_t kAlive = 8;
  return kAlive * s.batch * s.call.last_tokens * s.model.patch_volume() * s.model.in_dim * s.widths.wide;
}

int64_t rope_bytes(const CallSettings& s) {
  return (s.call.tokens + s.call.visible_tokens) * s.model.head_width() * s.widths.wide / 2;
}

}  // namespace

NumberWidths widths_of(ComputeDtype dtype) {
  switch (dtype) {
    case ComputeDtype::kFloat64:
      return {8, 8, 8};
    case ComputeDtype::kFloat32:
      return {4, 4, 4};
    case ComputeDtype::kBFloat16:
      break;
  }
  return {2, 4, 4};
}

int64_t inference_bytes(const CallSettings& s) {
  const int64_t around = latents_bytes(s) + rope_bytes(s);
  const BlockBytes block(s, s.call.tokens, 0);
  if (s.call.visible_tokens == s.call.tokens) return block.forward() + around;
  // History joined with the block's own keys and values, and a rotated copy of the keys.
  const int64_t visible = s.batch * s.call.visible_tokens * s.model.dim * s.widths.compute;
  const int64_t ffn = 7 * block.row + 2 * visible + 2 * block.inner;
  const int64_t attending = 7 * block.row + 3 * visible + 3 * block.quadratic;
  return std::max(ffn, attending) + block.small + around;
}

TrainingCallBytes training_bytes(const CallSettings& s, ActivationPolicy activations) {
  const int64_t parameters = block_parameter_count(s.model);
  const BlockBytes inside(s, s.call.tokens, parameters), last(s, s.call.last_tokens, parameters);
  const int64_t around = latents_bytes(s) + rope_bytes(s) + 2 * last.row;  // the head's x and h
  const int64_t layers = s.model.num_layers;
  TrainingCallBytes bytes;
  const int64_t before_last = (layers - 1) * inside.kept(activations);
  bytes.kept = before_last + last.kept(activations) + around;
  const bool is_kept = activations == ActivationPolicy::kKeepAll;
  const int64_t at_last = is_kept ? last.forward_beside_graph() : last.forward();
  const int64_t at_inside = is_kept ? inside.forward_beside_graph() : inside.forward();
  bytes.forward = bytes.kept + std::max(at_last, at_inside - last.kept(activations));
  // From the last block to the first: inputs are freed, weight gradients are added.
  const int64_t every_gradient = parameter_count(s.model) * s.widths.compute;
  bytes.backward = std::max(bytes.kept + last.backward(activations), around + every_gradient);
  for (int64_t layer = 0; layer + 1 < layers; ++layer) {
    const int64_t kept = (layer + 1) * inside.kept(activations);
    const int64_t gradients = (layers - 1 - layer) * inside.parameters;
    bytes.backward = std::max(bytes.backward, kept + gradients + inside.backward(activations) + around - 2 * last.row);
  }
  return bytes;
}

int64_t cache_bytes(const CallSettings& s, const ContextPolicy& policy, const BlockLayout& layout,
                    int64_t tokens_per_frame) {
  const int64_t sink = std::min(policy.sink_frames, layout.frames());
  const int64_t ring = std::min(policy.fifo_frames, layout.frames()) + layout.largest_block();
  const int64_t store = 2 * s.model.num_layers * s.batch * (sink + ring) * tokens_per_frame * s.model.dim;
  return 2 * store * s.widths.compute;  // un-rotated, and as the present block reads it
}

int64_t prompt_bytes(const CallSettings& s) {
  return (2 * s.model.num_layers + 1) * s.batch * s.model.text_len * s.model.dim * s.widths.compute;
}

int64_t parameter_count(const DitConfig& config) {
  int64_t count = 0;
  for (const WeightShape& weight : expected_dit_weights(config)) count += elements(weight);
  return count;
}

}  // namespace sgf
