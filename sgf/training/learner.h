// A network with its update: master weights, optimiser, learning rate, and gradient watch.
#pragma once

#include "sgf/training/adamw.h"
#include "sgf/training/gradient_watch.h"
#include "sgf/training/settings/optimiser_settings.h"
#include "sgf/training/stage.h"
#include "sgf/training/trained_dit.h"

#include <cstdint>
#include <string>
#include <vector>

namespace sgf {

// The factor of the learning rate at a step of a run, both counted from 0: rises linearly, then stays constant or falls
// along a cosine.
double rate_factor(const OptimiserSettings& settings, int64_t total_steps, int64_t step);

struct LearnerSettings {
  OptimiserSettings optimiser;
  int64_t total_steps = 1;  // over which the learning rate decays
  GradientLimits limits;
};

class Learner {
 public:
  // `name` prefixes its metrics and messages: "generator", "critic".
  Learner(std::string name, LearnerSettings settings, TrainedDit dit);

  const std::string& name() const { return name_; }
  const CausalDit& network() const { return dit_.network(); }
  const NamedTensors& masters() const { return dit_.masters(); }
  std::vector<at::Tensor> gradients(const at::Tensor& loss) const { return dit_.gradients(loss); }

  // Applies the gradient of an update, unless gradient or loss is not finite or the norm is far too large. Reports the
  // norm, the number of skipped updates and the reason of a skip. Returns true if the weights have changed.
  bool update(const std::vector<at::Tensor>& gradients, double loss, int64_t step, StepReport& report);

  void save(StageState& state) const;
  void restore(const StageState& state);

 private:
  std::string first_fault(const std::vector<at::Tensor>& gradients) const;

  std::string name_;
  LearnerSettings settings_;
  TrainedDit dit_;
  AdamW optimiser_;
  GradientWatch watch_;
};

// Copies saved tensors into masters of the same names and shapes; `what` is used in messages.
void copy_masters(const NamedTensors& masters, const NamedTensors& saved, const std::string& what);

}  // namespace sgf
