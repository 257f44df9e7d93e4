// A slow average of weights, from a given step on.
#pragma once

#include "sgf/files/tensors.h"

#include <cstdint>

namespace sgf {

// shadow = decay * shadow + (1 - decay) * weight, float32. Before its start step it does not exist: asking for the
// average then gives the weights themselves.
class Ema {
 public:
  Ema(double decay, int64_t start_step, NamedTensors weights);

  // After an update of the weights at `step`. The first call at or past the start copies them.
  void update(int64_t step);

  // Copies the weights now, whatever the start step: for an average that is asked for before the first update.
  void begin();

  bool has_started() const { return !shadow_.empty(); }
  // The average under the weights' names.
  const NamedTensors& average() const { return has_started() ? shadow_ : weights_; }

  // Takes up where a saved average stood; empty = not started.
  void restore(const NamedTensors& shadow);

 private:
  double decay_;
  int64_t start_step_;
  NamedTensors weights_;
  NamedTensors shadow_;
};

}  // namespace sgf
