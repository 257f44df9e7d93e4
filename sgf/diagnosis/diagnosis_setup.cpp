#include "sgf/diagnosis/diagnosis_setup.h"

#include "sgf/assembly/codec_and_text.h"
#include "sgf/assembly/conditioning.h"
#include "sgf/assembly/config_parts.h"
#include "sgf/assembly/networks_from_config.h"
#include "sgf/core/noise.h"
#include "sgf/kernels/noise_fill.h"
#include "sgf/kernels/wide.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>
#include <fmt/format.h>

namespace sgf {
namespace {

// Noise streams of the test purpose, numbered above the steps of a rollout.
constexpr int64_t kTextStream = 1000, kTargetStream = 1001;

at::TensorOptions network_options(const Config& c, c10::Device device) {
  return at::TensorOptions().device(device).dtype(compute_type(c));
}

NoiseKey diagnosis_key(const Config& c, int64_t sample, int64_t step) {
  return {.seed = static_cast<uint64_t>(c.run.seed), .purpose = NoisePurpose::kTest, .sample = sample, .step = step};
}

}  // namespace

DiagnosisSetup::DiagnosisSetup(const Config& config, const std::string& weights, c10::Device device)
    : config_(config),
      weights_(weights),
      device_(device),
      dit_(config.model, weights_of(config, weights, network_options(config, device)), dit_options_of(config)),
      rollout_(rollout_settings_of(config)) {}

at::TensorOptions DiagnosisSetup::latent_options() const {
  return at::TensorOptions().device(device_).dtype(wide_type(compute_type(config_)));
}

std::vector<int64_t> DiagnosisSetup::latent_shape(int64_t batch, int64_t frames) const {
  return {batch, frames, config_.model.in_dim, config_.video.height, config_.video.width};
}

BlockNoise DiagnosisSetup::noise(int64_t number, int64_t batch) const {
  return noise_by_key(diagnosis_key(config_, number * batch, /*step=*/0), batch,
                      {config_.model.in_dim, config_.video.height, config_.video.width}, latent_options());
}

at::Tensor DiagnosisSetup::text(int64_t number, int64_t batch) const {
  const at::NoGradGuard no_grad;
  if (config_.data.world.empty())
    return normal_per_sample(diagnosis_key(config_, number * batch, kTextStream),
                             {batch, config_.model.text_len, config_.model.text_dim},
                             network_options(config_, device_));
  return build_text_encoder(config_, {})
      ->encode(world_prompts(config_, number * batch, batch))
      .to(network_options(config_, device_));
}

at::Tensor DiagnosisSetup::target(int64_t number, int64_t batch) const {
  return normal_per_sample(diagnosis_key(config_, number * batch, kTargetStream),
                           latent_shape(batch, config_.video.frames), latent_options());
}

std::string DiagnosisSetup::weights_words() const {
  return weights_.empty() ? fmt::format("random weights of seed {}, non-zero head", config_.run.seed) : weights_;
}

std::string DiagnosisSetup::text_words() const {
  return config_.data.world.empty() ? "random text embeddings" : fmt::format("captions of {}", config_.data.world);
}

}  // namespace sgf
