// The EMA of weights, from a start step on.
#pragma once

#include "sgf/files/tensors.h"
#include "sgf/training/stage.h"

#include <cstdint>

namespace sgf {

// shadow = decay * shadow + (1 - decay) * weight, float32. Before its start step it does not exist, and the weights
// themselves are returned. It starts as the weights that the start step finds, and that step's update is the first one
// averaged, as in the trainers of the Self-Forcing family.
class Ema {
 public:
  Ema(double decay, int64_t start_step, NamedTensors weights);

  // Call before an update of the weights at `step`: at the start step or later, the first call copies them.
  void enter(int64_t step);

  // Call after an update of the weights. Does nothing before the start.
  void update();

  // Copies the weights now, regardless of the start step, for use before the first update.
  void begin();

  bool has_started() const { return !shadow_.empty(); }
  // The EMA under the names of the weights.
  const NamedTensors& average() const { return has_started() ? shadow_ : weights_; }

  void save(StageState& state) const;
  // An EMA that is not in the state has not started.
  void restore(const StageState& state);

 private:
  double decay_;
  int64_t start_step_;
  NamedTensors weights_;
  NamedTensors shadow_;
};

}  // namespace sgf
