// The operations of a training step, by phase, and the time on a measured device. Torch-free.
#pragma once

#include "sgf/config/config.h"
#include "sgf/training/planning/flop_count.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sgf {

// One sample of an update.
struct PhaseCost {
  std::string name;
  FlopCount forward;          // forward passes, recomputed blocks included
  FlopCount backward;         // of the backward pass alone
  double serial_calls = 0;    // network calls in sequence, in rollouts
  double updates_a_step = 1;  // generator phases run every dmd.generator_every steps

  FlopCount flops() const { return forward + backward; }
};

// The trained call of a stage with one network, for one sample.
CallShape trained_call(const Config& config);

// Rollouts exit equally often at every step; if all steps are run, all are counted. Without a given size, the dmd
// teacher has the generator's.
std::vector<PhaseCost> step_costs(const Config& config, const std::optional<DitConfig>& teacher = {});

// Sustained rates in operations per second, and the overhead of a serial call per layer.
struct DeviceRates {
  double linear_forward, linear_backward;
  double attention_forward, attention_backward;
  double serial;          // both kinds, in rollouts
  double layer_overhead;  // seconds
  std::string source;     // origin of the numbers
};

// Only measured values: "h200" in bfloat16. Empty for anything else.
std::optional<DeviceRates> measured_rates(std::string_view gpu, ComputeDtype dtype);

// For `samples` in one forward; the overhead of a serial call occurs once for all of them.
double seconds_of(const PhaseCost& phase, const DeviceRates& rates, int64_t layers, int64_t samples);

}  // namespace sgf
