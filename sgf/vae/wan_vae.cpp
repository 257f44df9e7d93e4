#include "sgf/vae/wan_vae.h"

#include "sgf/core/error.h"
#include "sgf/kernels/gpu_convolutions.h"
#include "sgf/kernels/wide.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace sgf {
namespace {

VaePartList build_parts(VaeParts& parts, const std::string& name) {
  const VaeConfig& config = parts.weights.config;
  const bool encodes = name == "encoder";
  VaePartList layers;
  const auto add_layers = [&] {
    for (const VaeLayer& layer : encodes ? encoder_layers(config) : decoder_layers(config)) {
      if (layer.is_residual)
        layers.push_back(std::make_unique<VaeResidual>(parts, layer.name));
      else if (encodes)
        layers.push_back(std::make_unique<VaeDownsample>(parts, layer));
      else
        layers.push_back(std::make_unique<VaeUpsample>(parts, layer));
    }
  };
  const auto add_middle = [&] {
    layers.push_back(std::make_unique<VaeResidual>(parts, name + ".middle.0"));
    layers.push_back(std::make_unique<VaeAttention>(parts, name + ".middle.1"));
    layers.push_back(std::make_unique<VaeResidual>(parts, name + ".middle.2"));
  };
  if (encodes) add_layers();
  add_middle();
  if (!encodes) add_layers();
  return layers;
}

at::Tensor pointwise(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias) {
  return at::linear(x.permute({0, 2, 3, 4, 1}), weight, bias).permute({0, 4, 1, 2, 3});
}

// Calls pass(first frame, count) for one frame at the start of the stream, then for up to `most` at a time.
template <class Pass>
at::Tensor in_passes(int64_t frames, bool begins, int64_t most, const Pass& pass) {
  std::vector<at::Tensor> out;
  int64_t done = 0;
  if (begins) out.push_back(pass(0, 1)), done = 1;
  for (; done < frames; done += std::min(most, frames - done)) out.push_back(pass(done, std::min(most, frames - done)));
  return out.size() == 1 ? out.front() : at::cat(out, 2);
}

}  // namespace

VaeHalf::VaeHalf(const VaeWeights& weights, const std::string& name) : VaeHalf(VaeParts{weights, {}}, name) {}

VaeHalf::VaeHalf(VaeParts parts, const std::string& name)
    : first_(parts, name + ".conv1"),
      parts_(build_parts(parts, name)),
      head_gamma_(parts.wide_vector(name + ".head.0.gamma")),
      last_(std::make_unique<CausalConv>(parts, name + ".head.2")),
      out_channels_(parts.weights.at(name + ".head.2.weight").size(0)),
      slots_(std::move(parts.slots)) {}

VaeState VaeHalf::fresh_state() const { return {.history = std::vector<at::Tensor>(slots_.size()), .latents = 0}; }

at::Tensor VaeHalf::operator()(const at::Tensor& x, VaeState& state) const {
  ChannelSum sum{.x = first_.apply(x, state), .bias = first_.bias()};
  for (const auto& part : parts_) sum = (*part)(std::move(sum), state);
  const at::Tensor buffer = last_->buffer(sum.x, state);
  channel_norm(sum, {.gamma = head_gamma_, .keeps_sum = false}, CausalConv::fresh(buffer));
  sum = {};
  const at::Tensor out = (*last_)(buffer, state).narrow(1, 0, out_channels_);
  return wide(out) + last_->bias().view({1, -1, 1, 1, 1});
}

WanVae::WanVae(const VaeWeights& weights, VaeSettings settings)
    : config_(weights.config),
      encoder_(weights, "encoder"),
      decoder_(weights, "decoder"),
      mean_weight_(weights.at("conv1.weight").flatten(1).narrow(0, 0, config_.z_dim).contiguous()),
      mean_bias_(weights.at("conv1.bias").narrow(0, 0, config_.z_dim).contiguous()),
      entry_weight_(weights.at("conv2.weight").flatten(1)),
      entry_bias_(weights.at("conv2.bias")) {
  SGF_CHECK(settings.latents_per_pass >= 0,
            "latents_per_pass must be at least 1, or 0 for the device's default, got {}", settings.latents_per_pass);
  const int64_t usual = mean_weight_.is_cuda() ? 4 : 1;
  latents_per_pass_ = settings.latents_per_pass > 0 ? settings.latents_per_pass : usual;
}

at::Tensor WanVae::encode(const at::Tensor& pictures, VaeState& state) const {
  SGF_CHECK(pictures.dim() == 5 && pictures.size(1) == 3, "frames must be [B, 3, T, H, W], got [{}]",
            fmt::join(pictures.sizes(), ", "));
  const int64_t frames = pictures.size(2), group = config_.group_pictures(), factor = config_.spatial_factor();
  SGF_CHECK(
      pictures.size(3) % factor == 0 && pictures.size(4) % factor == 0 && pictures.size(3) > 0 && pictures.size(4) > 0,
      "height and width must be multiples of {}, got {} x {}; crop or scale the frames", factor, pictures.size(3),
      pictures.size(4));
  const int64_t later = state.is_first() ? frames - 1 : frames;
  SGF_CHECK(later >= 0 && frames > 0 && later % group == 0, "frames must come {} of {}, got {}",
            state.is_first() ? "as one and whole groups" : "in whole groups", group, frames);
  const at::NoGradGuard no_grad;
  const GpuConvolutions convolutions(mean_weight_, /*tries=*/true);
  return in_passes(frames, state.is_first(), group * latents_per_pass_,
                   [&](int64_t first, int64_t count) { return encode_pass(pictures.narrow(2, first, count), state); });
}

at::Tensor WanVae::encode_pass(const at::Tensor& pictures, VaeState& state) const {
  const at::Tensor moments = encoder_(pictures, state).to(options());
  state.latents += moments.size(2);
  return wide(pointwise(moments, mean_weight_, mean_bias_));
}

at::Tensor WanVae::decode(const at::Tensor& latents, VaeState& state) const {
  SGF_CHECK(latents.dim() == 5 && latents.size(1) == config_.z_dim && latents.size(2) > 0,
            "latents must be [B, {}, T, h, w], got [{}]", config_.z_dim, fmt::join(latents.sizes(), ", "));
  const at::NoGradGuard no_grad;
  // Algorithm selection takes seconds, which would delay the first frame; and a shape first run without it stays
  // without. The shape of the first latent frame never repeats, nor, usually, does that of a first call that is not a
  // full pass.
  const bool is_first_call = state.is_first();
  return in_passes(latents.size(2), is_first_call, latents_per_pass_, [&](int64_t first, int64_t count) {
    const bool comes_again = !state.is_first() && (!is_first_call || count == latents_per_pass_);
    const GpuConvolutions convolutions(mean_weight_, comes_again);
    return decode_pass(latents.narrow(2, first, count), state);
  });
}

at::Tensor WanVae::decode_pass(const at::Tensor& latents, VaeState& state) const {
  const at::Tensor pictures = decoder_(pointwise(latents.to(options()), entry_weight_, entry_bias_), state);
  state.latents += latents.size(2);
  return pictures;
}

}  // namespace sgf
