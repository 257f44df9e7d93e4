// Four ways to differentiate one rollout, with their costs: the paper's feasibility table.
#pragma once

#include "sgf/model/causal_dit.h"
#include "sgf/rollout/roll_out.h"

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sgf {

enum class GradientMethod {
  kSelfForcing,          // "sf": Pass 1, then Pass 2 with the boundary frozen
  kSelfGradientForcing,  // "sgf": the same with the boundary open
  kDirectCache,          // "direct-cache": one serial rollout whose t = 0 writes keep their graph; latents are data
  kBptt,                 // "bptt": one serial rollout, nothing detached
};

GradientMethod gradient_method_from_name(std::string_view name);
std::string_view name_of(GradientMethod method);

// Equal for every method. The loss is 0.5 mean((x - target)^2), instead of the loss from scores.
struct FeasibilitySettings {
  const CausalDit& dit;  // its weights require grad
  RolloutSettings rollout;
  int64_t exit_step = 1;
  BlockNoise noise;
  at::Tensor text;    // [B, L, text_dim]
  at::Tensor target;  // [B, F, C, H, W]
};

struct LossAndGradients {
  at::Tensor loss;
  std::vector<at::Tensor> gradients;  // per weight, in the official order; undefined for unused weights
};

LossAndGradients differentiate(GradientMethod method, const FeasibilitySettings& setting);

struct FeasibilityRow {
  GradientMethod method = GradientMethod::kSelfForcing;
  bool ran_out_of_memory = false;  // if true, the values below are empty
  double seconds = 0;              // one run after a warm-up
  int64_t peak_bytes = 0;          // weights included
  double loss = 0;
  double gradient_norm = 0;
  std::vector<at::Tensor> gradients;  // on the CPU
};

// Rethrows all errors except lack of memory.
FeasibilityRow measure_feasibility(GradientMethod method, const FeasibilitySettings& setting);

// || a - b || / || b || over all weights, float64; an undefined gradient is zero.
double gradient_distance(const std::vector<at::Tensor>& a, const std::vector<at::Tensor>& b);

}  // namespace sgf
