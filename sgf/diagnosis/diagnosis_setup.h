// A network and a rollout from a config, with trained or random weights, for diagnoses.
#pragma once

#include "sgf/config/config.h"
#include "sgf/model/causal_dit.h"
#include "sgf/rollout/roll_out.h"

#include <cstdint>
#include <string>
#include <vector>

namespace sgf {

class DiagnosisSetup {
 public:
  // `weights`: a file or a run folder; empty: random ones of the seed, with a non-zero head.
  DiagnosisSetup(const Config& config, const std::string& weights, c10::Device device);

  const CausalDit& dit() const { return dit_; }
  const RolloutSettings& rollout() const { return rollout_; }

  // For samples [number * batch, number * batch + batch): noise of a rollout, text embeddings [B, L, text_dim], and
  // target latents [B, F, C, H, W].
  BlockNoise noise(int64_t number, int64_t batch) const;
  at::Tensor text(int64_t number, int64_t batch) const;
  at::Tensor target(int64_t number, int64_t batch) const;

  // Descriptions of the sources of weights and text.
  std::string weights_words() const;
  std::string text_words() const;

 private:
  at::TensorOptions latent_options() const;
  std::vector<int64_t> latent_shape(int64_t batch, int64_t frames) const;

  Config config_;
  std::string weights_;
  c10::Device device_;
  CausalDit dit_;
  RolloutSettings rollout_;
};

}  // namespace sgf
