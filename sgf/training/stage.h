// A stage of training as the loop sees it: steps that report, a state that can be saved, samples to look at.
#pragma once

#include "sgf/files/tensors.h"

#include <ATen/core/Tensor.h>
#include <nlohmann/json.hpp>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace sgf {

// Metrics of one step under the names people know: generator_loss, critic_grad_norm, ...
using StepMetrics = std::map<std::string, double>;

struct StepReport {
  StepMetrics metrics;
  std::vector<std::string> warnings;  // a line each, to be said aloud
  std::string stop;                   // why the run must end here; empty mostly
};

// Everything a later run needs to go on bit for bit.
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

  // Latents [B, F, C, H, W] of `text` [B, L, text_dim] by the slow average, from noise of the seed; no graph.
  virtual at::Tensor sample(const at::Tensor& text, uint64_t seed) const = 0;
};

}  // namespace sgf
