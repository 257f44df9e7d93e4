// Estimates a run beforehand: memory, step time and, if it does not fit, the smallest change that does. Only
// arithmetic: no device is used. Torch-free.
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
  std::optional<double> memory_gib;  // of one device; without it, fitting is not checked
  std::string gpu = "h200";
  std::optional<DitConfig> teacher;  // of dmd; default: the generator's size
};

// Settings that would fit, as arguments of --set.
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
  int64_t parts = 1;  // forwards per update that a device accumulates
  MemoryPlan memory;
  std::vector<PhaseCost> phases;
  FlopCount flops_a_step;  // of all samples and devices, on average
  std::optional<DeviceRates> rates;
  std::optional<double> step_seconds;  // on average; empty if nothing was measured
  std::optional<double> memory_gib;
  bool fits = true;
  std::optional<PlanChange> change;  // if it does not fit and a change does
};

// The share of device memory for tensors: the rest is reserved for the CUDA context and fragmentation.
constexpr double kUsableShare = 0.95;

RunPlan plan_run(const Config& config, const PlanRequest& request);

nlohmann::json to_json(const RunPlan& plan);

}  // namespace sgf
