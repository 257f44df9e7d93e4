// AdamW over float32 master weights: torch's fused kernel, with the moments kept here for saving and resuming.
#pragma once

#include "sgf/files/tensors.h"
#include "sgf/training/settings/optimiser_settings.h"

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>
#include <vector>

namespace sgf {

class AdamW {
 public:
  // `parameters` are float32 (float64 in tests) and are updated in place.
  AdamW(OptimiserSettings settings, NamedTensors parameters);

  const OptimiserSettings& settings() const { return settings_; }
  int64_t steps_taken() const { return steps_taken_; }

  // Clips `gradients` (one per parameter, same order) in place, and updates at `rate_factor` times the learning rate.
  // `norm` is their norm before clipping.
  void step(const std::vector<at::Tensor>& gradients, double norm, double rate_factor);
  // The same with rate factor 1; returns the norm.
  double step(const std::vector<at::Tensor>& gradients);

  // Moments and counter under "exp_avg.NAME", "exp_avg_sq.NAME" and "steps".
  NamedTensors state() const;
  // Throws if a tensor is missing or has another shape; then nothing has changed.
  void restore(const NamedTensors& state);

 private:
  OptimiserSettings settings_;
  NamedTensors parameters_;
  std::vector<at::Tensor> tensors_;      // parameters_ without names
  std::vector<at::Tensor> exp_avg_;      // first moments
  std::vector<at::Tensor> exp_avg_sq_;   // second moments
  std::vector<at::Tensor> step_counts_;  // required by the fused kernel; all equal
  int64_t steps_taken_ = 0;
};

// Norm of all tensors together, float64.
double global_norm(const std::vector<at::Tensor>& tensors);

}  // namespace sgf
