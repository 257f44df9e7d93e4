#include "sgf/model/embeddings.h"

#include "sgf/core/error.h"
#include "sgf/kernels/gelu_tanh.h"
#include "sgf/kernels/layer_norm_modulate.h"
#include "sgf/kernels/linear_rows.h"
#include "sgf/kernels/wide.h"
#include "sgf/model/attention.h"

#include <ATen/ATen.h>

#include <cmath>

namespace sgf {

PatchGrid patch_grid(const DitConfig& config, const at::Tensor& latents) {
  SGF_CHECK(latents.dim() == 5 && latents.size(2) == config.in_dim,
            "latents must be [B, F, {}, H, W], got {} dimensions with {} channels", config.in_dim, latents.dim(),
            latents.dim() > 2 ? latents.size(2) : 0);
  return PatchGrid(latents.size(3), latents.size(4), config.patch_size[1], config.patch_size[2]);
}

// The patch convolution has stride = kernel, so it is a linear layer over (channel, ph, pw).
at::Tensor embed_patches(const DitConfig& config, const DitWeights& weights, const at::Tensor& latents) {
  const PatchGrid grid = patch_grid(config, latents);
  const int64_t batch = latents.size(0), frames = latents.size(1);
  const at::Tensor patches = latents
                                 .reshape({batch, frames, config.in_dim, grid.rows(), config.patch_size[1],
                                           grid.columns(), config.patch_size[2]})
                                 .permute({0, 1, 3, 5, 2, 4, 6})
                                 .flatten(4, 6)
                                 .flatten(1, 3);
  const at::Tensor weight = weights.patch_embedding.weight.flatten(1);
  return linear_rows(patches.to(weight.scalar_type()), weight, weights.patch_embedding.bias);
}

at::Tensor timestep_sinusoid(const at::Tensor& t, int64_t width) {
  const int64_t half = width / 2;
  const at::Tensor exponent = at::arange(half, t.options().dtype(at::kDouble)) / static_cast<double>(half);
  const at::Tensor angle = t.to(at::kDouble).unsqueeze(-1) * at::pow(10000.0, exponent).reciprocal();
  return at::cat({angle.cos(), angle.sin()}, -1);
}

TimestepEmbedding embed_timesteps(const DitConfig& config, const DitWeights& weights, const at::Tensor& t) {
  const at::Tensor sinusoid = timestep_sinusoid(t, config.freq_dim).to(weights.time_in.weight.scalar_type());
  const at::Tensor e = linear(weights.time_out, at::silu(linear(weights.time_in, sinusoid)));
  const at::Tensor blocks = linear(weights.time_projection, at::silu(e));
  return {wide(e), wide(blocks).unflatten(-1, {6, config.dim})};
}

at::Tensor embed_text(const DitConfig& config, const DitWeights& weights, const at::Tensor& text) {
  SGF_CHECK(text.dim() == 3 && text.size(2) == config.text_dim && text.size(1) <= config.text_len,
            "text embeddings must be [B, up to {}, {}], got {} dimensions, {} tokens of width {}", config.text_len,
            config.text_dim, text.dim(), text.dim() > 1 ? text.size(1) : 0, text.dim() > 2 ? text.size(2) : 0);
  const at::Tensor rows = text.to(weights.text_in.weight.options());
  const at::Tensor padded = at::constant_pad_nd(rows, {0, 0, 0, config.text_len - text.size(1)});
  return linear(weights.text_out, gelu_tanh(linear(weights.text_in, padded)));
}

at::Tensor apply_head(const DitConfig& config, const DitWeights& weights, const at::Tensor& x, const at::Tensor& e,
                      const PatchGrid& grid) {
  const auto rows = (e.unsqueeze(2) + wide(weights.head_modulation).unsqueeze(1)).unbind(2);  // shift, scale
  const at::Tensor patches = wide(linear(weights.head, layer_norm_modulate(x, rows[0], rows[1], config.eps)));
  const int64_t ph = config.patch_size[1], pw = config.patch_size[2];
  return patches.reshape({x.size(0), e.size(1), grid.rows(), grid.columns(), ph, pw, config.out_dim})
      .permute({0, 1, 6, 2, 4, 3, 5})
      .reshape({x.size(0), e.size(1), config.out_dim, grid.rows() * ph, grid.columns() * pw});
}

}  // namespace sgf
