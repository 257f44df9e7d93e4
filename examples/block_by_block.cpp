// Two blocks of a tiny random model, each denoised once against the cache of what came before.
#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>
#include <sgf/model/causal_dit.h>

#include <cstdio>

int main() {
  const at::NoGradGuard no_grad;
  const sgf::DitConfig config = sgf::dit_preset("tiny");
  const sgf::CausalDit dit(config, sgf::random_dit_weights(config, /*seed=*/7, at::kFloat));
  const at::Tensor noise = at::randn({1, 3, config.in_dim, 8, 12}), t = at::full({1, 3}, 1000.0);
  const sgf::PromptText text = dit.prepare(at::zeros({1, 1, config.text_dim}));
  sgf::KvCache cache({.sink_frames = 3, .fifo_frames = 6}, dit.cache_shape(noise, 3, 0), at::kFloat);
  for (const sgf::FrameSpan block : {sgf::FrameSpan{0, 3}, sgf::FrameSpan{3, 6}}) {
    const at::Tensor clean = noise - dit.forward(noise, t, text, sgf::Serial{cache, block, {}});
    dit.write(clean, text, sgf::Serial{cache, block, {}});
    std::printf("frames %ld to %ld: standard deviation %.3f\n", block.begin, block.end, clean.std().item<double>());
  }
}
