// A network and what updates it: masters, optimiser, learning rate, and a watch over its gradients.
#pragma once

#include "sgf/training/adamw.h"
#include "sgf/training/gradient_watch.h"
#include "sgf/training/rate_schedule.h"
#include "sgf/training/stage.h"
#include "sgf/training/trained_dit.h"

#include <string>
#include <vector>

namespace sgf {

struct LearnerSettings {
  AdamWSettings optimiser;
  RateSchedule rate;
  GradientLimits limits;
};

class Learner {
 public:
  // `name` stands before its metrics and in its words: "generator", "critic".
  Learner(std::string name, LearnerSettings settings, TrainedDit dit);

  const std::string& name() const { return name_; }
  const CausalDit& network() const { return dit_.network(); }
  const NamedTensors& masters() const { return dit_.masters(); }
  std::vector<at::Tensor> gradients(const at::Tensor& loss) const { return dit_.gradients(loss); }

  // Takes the gradient of a whole update, unless it or the loss is not finite or far out of the ordinary. Reports the
  // norm, the updates skipped so far and, where one is skipped, why. True where the weights have changed.
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

// Copies saved tensors into masters of the same names and shapes; `what` stands in messages.
void copy_masters(const NamedTensors& masters, const NamedTensors& saved, const std::string& what);

}  // namespace sgf
