// Before a run: what it needs, how long a step may take, and where it does not fit the smallest change that does.
// Arithmetic alone: no device is touched. Torch-free.
#pragma once

#include "sgf/config/config.h"
#include "sgf/training/planning/memory_plan.h"
#include "sgf/training/planning/step_cost.h"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace sgf {

struct PlanRequest {
  int64_t gpus = 1;
  std::optional<double> memory_gib;  // of one device; without it nothing is said about fitting
  std::string gpu = "h200";
  std::optional<DitConfig> teacher;  // of dmd; without it, of the generator's size
};

// Settings that would fit, as --set takes them.
struct PlanChange {
  std::vector<std::string> set;
  int64_t peak_bytes = 0;
};

struct RunPlan {
  int64_t parameters = 0;
  std::optional<int64_t> teacher_parameters;  // of dmd
  int64_t gpus = 1;
  int64_t micro_batch = 1;
  int64_t global_batch = 1;
  int64_t parts = 1;  // forwards that a device accumulates for one update
  MemoryPlan memory;
  std::vector<PhaseCost> phases;
  FlopCount flops_a_step;  // of all samples and devices, on average
  std::optional<DeviceRates> rates;
  std::optional<double> step_seconds;  // on average; unknown where nothing was measured
  std::optional<double> memory_gib;
  bool fits = true;
  std::optional<PlanChange> change;  // where it does not fit and something does
};

// Of a device's memory, what tensors may fill: the CUDA context and holes in the allocator's pools want the rest.
constexpr double kUsableShare = 0.95;

RunPlan plan_run(const Config& config, const PlanRequest& request);

nlohmann::json to_json(const RunPlan& plan);

}  // namespace sgf
