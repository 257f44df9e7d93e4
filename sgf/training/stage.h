// The interface of a training stage: steps with metrics, a state to save, samples.
#pragma once

#include "sgf/files/tensors.h"

#include <ATen/core/Tensor.h>
#include <nlohmann/json.hpp>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace sgf {

// Metrics of one step: generator_loss, critic_grad_norm, ...
using StepMetrics = std::map<std::string, double>;

struct StepReport {
  StepMetrics metrics;
  std::vector<std::string> warnings;  // one line each, for the user
  std::string stop;                   // why the run must stop; usually empty
};

// Everything needed to resume bit for bit.
struct StageState {
  std::map<std::string, NamedTensors> networks;    // "generator", "ema", "critic": masters under official names
  std::map<std::string, NamedTensors> optimisers;  // "generator", "critic": moments and counters
  nlohmann::json counters;                         // what is not a tensor
};

class Stage {
 public:
  virtual ~Stage() = default;

  virtual StepReport step(int64_t step) = 0;

  // Tensors are shared with the stage, not copied: save them before the next step.
  virtual StageState state() const = 0;
  virtual void restore(const StageState& state) = 0;

  // Latents [B, F, C, H, W] for `text` [B, L, text_dim], by the EMA, from noise of the seed; no graph.
  virtual at::Tensor sample(const at::Tensor& text, uint64_t seed) const = 0;
};

}  // namespace sgf
