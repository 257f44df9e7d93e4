// What a training step computes, phase by phase, and how long a measured device takes for it. Torch-free.
#pragma once

#include "sgf/config/config.h"
#include "sgf/training/planning/flop_count.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sgf {

// One sample's share of an update.
struct PhaseCost {
  std::string name;
  FlopCount forward;          // without a gradient, recomputed blocks among it
  FlopCount backward;         // of the backward pass alone
  double serial_calls = 0;    // calls of the network that wait for each other: rollouts
  double updates_a_step = 1;  // generator phases come every dmd.generator_every steps

  FlopCount flops() const { return forward + backward; }
};

// The trained call of a stage with one network, for one sample.
CallShape trained_call(const Config& config);

// Rollouts leave at every step equally often; where all steps are run, all are counted. The teacher of dmd has the
// generator's size where none is given.
std::vector<PhaseCost> step_costs(const Config& config, const std::optional<DitConfig>& teacher = {});

// Sustained rates, in operations a second, and what a serial call loses a layer.
struct DeviceRates {
  double linear_forward, linear_backward;
  double attention_forward, attention_backward;
  double serial;          // both kinds, in rollouts
  double layer_overhead;  // seconds
  std::string source;     // where the numbers come from
};

// Only what was measured: "h200" in bfloat16. Empty for all else.
std::optional<DeviceRates> measured_rates(std::string_view gpu, ComputeDtype dtype);

// `samples` in one forward; what a serial call loses, it loses once for all of them.
double seconds_of(const PhaseCost& phase, const DeviceRates& rates, int64_t layers, int64_t samples);

}  // namespace sgf
