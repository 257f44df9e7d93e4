// A small random DiT and the two ways of running it, shared by the tests of the model.
#pragma once

#include "sgf/context/kv_cache.h"
#include "sgf/core/noise.h"
#include "sgf/kernels/noise_fill.h"
#include "sgf/model/causal_dit.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>
#include <fmt/format.h>
#include <torch/csrc/autograd/autograd.h>

#include <vector>

namespace sgf::testing {

inline DitConfig small_config(int64_t heads = 2, int64_t layers = 2, int64_t text_len = 5) {
  return {.dim = 12 * heads,
          .ffn_dim = 20,
          .freq_dim = 16,
          .text_dim = 10,
          .text_len = text_len,
          .num_heads = heads,
          .num_layers = layers,
          .in_dim = 3,
          .out_dim = 3,
          .patch_size = {1, 2, 2},
          .eps = 1e-6};
}

inline at::Tensor draw(uint64_t seed, int64_t index, at::IntArrayRef shape,
                       at::TensorOptions options = at::TensorOptions(at::kDouble)) {
  return normal({.seed = seed, .purpose = NoisePurpose::kTest, .sample = index}, shape, options);
}

inline double relative_l2(const at::Tensor& a, const at::Tensor& b) {
  return ((a - b).to(at::kDouble).norm() / b.to(at::kDouble).norm()).item<double>();
}

// One case: a network, latents for both halves and a prompt.
struct Case {
  CausalDit dit;
  at::Tensor noisy;  // [B, F, C, H, W]
  at::Tensor clean;  // the same
  at::Tensor text;   // [B, L, text_dim]
  at::Tensor weights_of_loss;
  double t = 750.0;

  Case(const DitConfig& config, int64_t batch, int64_t frames, uint64_t seed,
       at::TensorOptions options = at::TensorOptions(at::kDouble), DitOptions dit_options = {})
      : dit(config, random_dit_weights(config, seed, options), dit_options) {
    const std::vector<int64_t> shape{batch, frames, config.in_dim, 4, 6};
    noisy = draw(seed, 0, shape, options);
    clean = draw(seed, 1, shape, options);
    text = draw(seed, 2, {batch, config.text_len - 1, config.text_dim}, options);
    weights_of_loss = draw(seed, 3, shape, options);
  }

  at::Tensor timesteps(int64_t frames) const {
    return at::full({noisy.size(0), frames}, t, noisy.options().dtype(at::kDouble));
  }

  at::Tensor parallel(const ContextPolicy& policy, const BlockLayout& layout, GradientBoundary boundary) const {
    const ReconstructionMask mask(policy, layout);
    return dit.forward(noisy, timesteps(noisy.size(1)), dit.embed(text), Parallel{clean, mask, boundary});
  }

  // Denoise and write, block by block, on any cache and under any rule.
  at::Tensor serial(ContextCache& cache, const BlockLayout& layout, PositionRule rule = {}) const {
    const PromptText prompt = dit.prepare(text);
    std::vector<at::Tensor> flows;
    for (int64_t i = 0; i < layout.count(); ++i) {
      const FrameSpan block = layout.block(i);
      const Serial context{cache, block, rule};
      flows.push_back(dit.forward(noisy.slice(1, block.begin, block.end), timesteps(block.frames()), prompt, context));
      dit.write(clean.slice(1, block.begin, block.end), prompt, context);
    }
    return at::cat(flows, 1);
  }

  KvCache cache(const ContextPolicy& policy, const BlockLayout& layout) const {
    return KvCache(policy, dit.cache_shape(noisy, layout.largest_block(), layout.frames()), noisy.options());
  }

  GraphCache graph_cache(const ContextPolicy& policy) const {
    return GraphCache(policy, dit.config().num_layers, dit.cache_shape(noisy, 1, 0).tokens_per_frame);
  }

  // Gradients of a weighted sum of the flow, one tensor per parameter, zeros where none arrives.
  std::vector<at::Tensor> gradients(const at::Tensor& flow) const {
    std::vector<at::Tensor> tensors;
    for (const auto& [name, tensor] : named_parameters(dit.weights())) tensors.push_back(tensor);
    auto grads = torch::autograd::grad({flow}, tensors, {weights_of_loss.to(flow.scalar_type())}, std::nullopt, false,
                                       /*allow_unused=*/true);
    for (size_t i = 0; i < grads.size(); ++i)
      if (!grads[i].defined()) grads[i] = at::zeros_like(tensors[i]);
    return grads;
  }
};

// Largest relative L2 difference over all parameters; where both are (nearly) nothing the scale is the largest norm.
inline double largest_difference(const std::vector<at::Tensor>& a, const std::vector<at::Tensor>& b) {
  double scale = 0, worst = 0;
  for (const at::Tensor& t : b) scale = std::max(scale, t.norm().item<double>());
  for (size_t i = 0; i < a.size(); ++i)
    worst = std::max(worst, (a[i] - b[i]).norm().item<double>() / std::max(b[i].norm().item<double>(), 1e-3 * scale));
  return worst;
}

}  // namespace sgf::testing
