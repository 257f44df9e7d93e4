// The parameters of a DiT as plain structs, and one function that visits all of them under their official names.
#pragma once

#include "sgf/files/tensors.h"
#include "sgf/model/dit_config.h"

#include <ATen/core/Tensor.h>

#include <string>
#include <vector>

namespace sgf {

struct Linear {
  at::Tensor weight;  // [out, in]
  at::Tensor bias;    // [out]
};

struct AttentionWeights {
  Linear q, k, v, o;
  at::Tensor norm_q, norm_k;  // [dim], over all heads together
  Linear qkv;                 // q, k and v joined, of which they are then views; undefined if not joined
};

struct BlockWeights {
  AttentionWeights self_attn, cross_attn;
  at::Tensor norm3_weight, norm3_bias;
  Linear ffn_in, ffn_out;
  at::Tensor modulation;  // [1, 6, dim]: shift, scale, gate of attention, then of the FFN
};

struct DitWeights {
  Linear patch_embedding;  // weight [dim, C, 1, ph, pw]
  Linear text_in, text_out;
  Linear time_in, time_out, time_projection;
  std::vector<BlockWeights> blocks;
  Linear head;
  at::Tensor head_modulation;  // [1, 2, dim]: shift, scale
};

// visit(suffix of the official name, tensor), in the official order.
template <class Block, class Visit>
void visit_block(Block& b, Visit&& visit) {
  const auto linear = [&](const std::string& name, auto& l) {
    visit(name + ".weight", l.weight);
    visit(name + ".bias", l.bias);
  };
  const auto attention = [&](const std::string& name, auto& a) {
    linear(name + ".q", a.q);
    linear(name + ".k", a.k);
    linear(name + ".v", a.v);
    linear(name + ".o", a.o);
    visit(name + ".norm_q.weight", a.norm_q);
    visit(name + ".norm_k.weight", a.norm_k);
  };
  attention("self_attn", b.self_attn);
  attention("cross_attn", b.cross_attn);
  visit("norm3.weight", b.norm3_weight);
  visit("norm3.bias", b.norm3_bias);
  linear("ffn.0", b.ffn_in);
  linear("ffn.2", b.ffn_out);
  visit("modulation", b.modulation);
}

// visit(official name, tensor) over the whole network.
template <class Weights, class Visit>
void visit_weights(Weights& w, Visit&& visit) {
  const auto linear = [&](const std::string& name, auto& l) {
    visit(name + ".weight", l.weight);
    visit(name + ".bias", l.bias);
  };
  linear("patch_embedding", w.patch_embedding);
  linear("text_embedding.0", w.text_in);
  linear("text_embedding.2", w.text_out);
  linear("time_embedding.0", w.time_in);
  linear("time_embedding.2", w.time_out);
  linear("time_projection.1", w.time_projection);
  for (size_t i = 0; i < w.blocks.size(); ++i)
    visit_block(w.blocks[i], [&](const std::string& name, auto& tensor) {
      visit("blocks." + std::to_string(i) + "." + name, tensor);
    });
  linear("head.head", w.head);
  visit("head.modulation", w.head_modulation);
}

// All blocks without tensors; visit_weights assigns them.
DitWeights dit_weights_to_fill(const DitConfig& config);

NamedTensors named_parameters(const DitWeights& weights);

// Fresh weights, a pure function of the seed. Linear layers, including the head, keep the scale of their inputs
// (nothing is zero, so that tests see every path).
DitWeights random_dit_weights(const DitConfig& config, uint64_t seed, at::TensorOptions options);

// Joins q, k and v of self-attention on a GPU, so that calls without gradients need one matrix product, not three.
void join_projections(DitWeights& weights);

void set_requires_grad(const DitWeights& weights, bool requires_grad);

}  // namespace sgf
