#include "sgf/rollout/sample_video.h"

#include "sgf/context/kv_cache.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include <vector>

namespace sgf {
namespace {

// A model with its own prompt and cache.
struct CausalSide {
  CausalSide(const CausalDit& network, const at::Tensor& rows, const ContextPolicy& policy, const KvCacheShape& shape)
      : dit(network), text(dit.prepare(rows)), cache(policy, shape, dit.weights().head.weight.options()) {}

  FlowOf flow(FrameSpan block) {
    return [this, block](const at::Tensor& x, const at::Tensor& t) {
      return dit.forward(x, t, text, Serial{cache, block, {}});
    };
  }
  void write(const at::Tensor& clean, FrameSpan block) { dit.write(clean, text, Serial{cache, block, {}}); }

  const CausalDit& dit;
  PromptText text;
  KvCache cache;
};

}  // namespace

at::Tensor sample_bidirectional(const CausalDit& dit, const GuidedText& text, const SamplerSettings& settings,
                                const at::Tensor& noise) {
  const at::NoGradGuard no_grad;
  const auto flow_with = [&dit](const at::Tensor& rows) -> FlowOf {
    return [&dit, prompt = dit.prepare(rows)](const at::Tensor& x, const at::Tensor& t) {
      return dit.forward(x, t, prompt, Bidirectional{});
    };
  };
  return walk(settings, noise, guided_flow(flow_with(text.cond), flow_with(text.uncond), settings.guidance));
}

at::Tensor sample_blocks(const CausalDit& dit, const GuidedText& text, const SamplerSettings& settings,
                         const ContextPolicy& policy, const BlockLayout& layout, const BlockNoise& noise) {
  const at::NoGradGuard no_grad;
  const KvCacheShape shape = dit.cache_shape(noise(layout.block(0), 0), layout.largest_block(), layout.frames());
  CausalSide cond(dit, text.cond, policy, shape), uncond(dit, text.uncond, policy, shape);
  std::vector<at::Tensor> blocks;
  for (int64_t i = 0; i < layout.count(); ++i) {
    const FrameSpan block = layout.block(i);
    const FlowOf flow = guided_flow(cond.flow(block), uncond.flow(block), settings.guidance);
    blocks.push_back(walk(settings, noise(block, 0), flow));
    cond.write(blocks.back(), block);
    if (settings.guidance != 1) uncond.write(blocks.back(), block);
  }
  return at::cat(blocks, 1);
}

}  // namespace sgf
