// Times and memory of the two passes, and the recovery error, for any network size.
#pragma once

#include "sgf/context/context_policy.h"
#include "sgf/kernels/attention_backend.h"
#include "sgf/model/activation_policy.h"
#include "sgf/model/dit_config.h"

#include <ATen/core/Tensor.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace sgf {

struct PassesSettings {
  DitConfig model;
  std::string model_name;
  ContextPolicy policy;
  int64_t frames = 21;
  int64_t block_frames = 3;
  int64_t height = 60;  // of latents
  int64_t width = 104;
  int64_t batch = 1;
  at::ScalarType dtype = at::kBFloat16;
  c10::Device device = c10::Device("cpu");
  AttentionBackend attention = AttentionBackend::kAuto;
  ActivationPolicy activations = ActivationPolicy::kRecomputeBlocks;
  int64_t noises = 8;               // rollouts per exit step, for recovery
  int64_t repeats = 5;              // timed runs
  int64_t warm_up = 1;              // runs before them (training items)
  int64_t exit_step = 4;            // exit of the rollouts (training items)
  int64_t vae_dim = 96;             // width of the VAE (VAE items and stream)
  bool record_launches = true;      // streams: one CUDA graph per call once the window is full
  std::filesystem::path recording;  // sgf_step recording with networks and draws, instead of random ones
};

// Called with one line of results per work item, when it is done.
using BenchLine = std::function<void(const nlohmann::json&)>;

// Items: "attention" (one layer's parallel self-attention), "reconstruct" (Pass 2; also "parallel"), "rollout" (Pass 1,
// all steps), "recovery" (Pass 2 against Pass 1 per exit step), and those of bench_training.h and
// bench_items.h. Weights are random, scaled for a standard deviation of the flow of about 1.
void bench_passes(const PassesSettings& setting, const std::vector<std::string>& items, const BenchLine& line);

}  // namespace sgf
