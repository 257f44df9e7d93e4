#include "sgf/training/learner.h"

#include "sgf/core/error.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace sgf {

double rate_factor(const OptimiserSettings& s, int64_t total_steps, int64_t step) {
  if (step < s.warmup_steps) return static_cast<double>(step + 1) / static_cast<double>(s.warmup_steps);
  if (s.decay == RateDecay::kConstant) return 1;
  const auto after = static_cast<double>(step - s.warmup_steps);
  const auto whole = static_cast<double>(std::max<int64_t>(total_steps - s.warmup_steps, 1));
  const double share = std::min(after / whole, 1.0);
  return s.final_share + (1 - s.final_share) * 0.5 * (1 + std::cos(std::numbers::pi * share));
}

Learner::Learner(std::string name, LearnerSettings settings, TrainedDit dit)
    : name_(std::move(name)),
      settings_(settings),
      dit_(std::move(dit)),
      optimiser_(settings.optimiser, dit_.masters()),
      watch_(settings.limits) {}

bool Learner::update(const std::vector<at::Tensor>& gradients, double loss, int64_t step, StepReport& report) {
  const double norm = std::isfinite(loss) ? global_norm(gradients) : std::numeric_limits<double>::quiet_NaN();
  report.metrics[name_ + "_grad_norm"] = norm;
  const GradientVerdict verdict = watch_.judge(norm);
  report.metrics[name_ + "_skipped_updates"] = static_cast<double>(watch_.history().skipped);
  if (verdict == GradientVerdict::kApply) {
    const double factor = rate_factor(settings_.optimiser, settings_.total_steps, step);
    report.metrics[name_ + "_learning_rate"] = settings_.optimiser.learning_rate * factor;
    optimiser_.step(gradients, norm, factor);
    dit_.sync();
    return true;
  }
  const std::string fault =
      std::isfinite(loss) ? first_fault(gradients) : "the loss itself (the network, or its scores)";
  report.warnings.push_back(
      fmt::format("step {}: {} update skipped: {}; at fault: {}", step, name_, watch_.reason(), fault));
  if (verdict == GradientVerdict::kStop)
    report.stop = fmt::format("{} {} updates in a row were skipped, the last for: {}",
                              watch_.history().skipped_in_a_row, name_, watch_.reason());
  return false;
}

// The first weight with a non-finite gradient, else the one with the largest norm.
std::string Learner::first_fault(const std::vector<at::Tensor>& gradients) const {
  size_t largest = 0;
  double largest_norm = -1;
  for (size_t i = 0; i < gradients.size(); ++i) {
    const double norm = gradients[i].norm().item<double>();
    if (!std::isfinite(norm)) return masters()[i].first + " (not finite)";
    if (norm > largest_norm) largest = i, largest_norm = norm;
  }
  return fmt::format("{} (norm {:.3g})", masters()[largest].first, largest_norm);
}

void Learner::save(StageState& state) const {
  state.networks[name_] = dit_.masters();
  state.optimisers[name_] = optimiser_.state();
  state.counters[name_ + "_watch"] = write_history(watch_.history());
}

void Learner::restore(const StageState& state) {
  const auto saved = state.networks.find(name_);
  const auto moments = state.optimisers.find(name_);
  SGF_CHECK(saved != state.networks.end() && moments != state.optimisers.end(),
            "the checkpoint lacks the {} or its optimiser", name_);
  copy_masters(dit_.masters(), saved->second, name_);
  optimiser_.restore(moments->second);
  const std::string key = name_ + "_watch";
  SGF_CHECK(state.counters.contains(key), "the checkpoint lacks the {}'s gradient history", name_);
  watch_ = GradientWatch(settings_.limits, read_history(state.counters.at(key), key));
  dit_.sync();
}

void copy_masters(const NamedTensors& masters, const NamedTensors& saved, const std::string& what) {
  const std::map<std::string, at::Tensor> by_name(saved.begin(), saved.end());
  for (const auto& [name, tensor] : masters) {
    const auto found = by_name.find(name);
    SGF_CHECK(found != by_name.end(), "the saved {} lacks '{}'", what, name);
    SGF_CHECK(found->second.sizes() == tensor.sizes(), "the saved {} has '{}' with a wrong shape", what, name);
  }
  SGF_CHECK(saved.size() == masters.size(), "the saved {} has {} tensors, but the network has {}", what, saved.size(),
            masters.size());
  const at::NoGradGuard no_grad;
  for (const auto& [name, tensor] : masters) at::Tensor(tensor).copy_(by_name.at(name));
}

}  // namespace sgf
