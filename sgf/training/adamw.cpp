#include "sgf/training/adamw.h"

#include "sgf/core/error.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/_fused_adamw.h>
#include <fmt/ranges.h>

#include <cmath>
#include <map>

namespace sgf {
namespace {

void check_settings(const OptimiserSettings& s) {
  SGF_CHECK(s.learning_rate > 0 && s.eps > 0 && s.clip_norm >= 0 && s.weight_decay >= 0,
            "AdamW needs a positive learning rate and eps, and clip and decay of at least 0, got lr {}, eps {}, clip "
            "{}, decay "
            "{}",
            s.learning_rate, s.eps, s.clip_norm, s.weight_decay);
  SGF_CHECK(s.beta1 >= 0 && s.beta1 < 1 && s.beta2 >= 0 && s.beta2 < 1,
            "AdamW's betas must be at least 0 and less than 1, got {} and {}", s.beta1, s.beta2);
}

at::Tensor find(const std::map<std::string, at::Tensor>& state, const std::string& name, const at::Tensor& like) {
  const auto found = state.find(name);
  SGF_CHECK(found != state.end(), "the optimiser state lacks '{}'", name);
  SGF_CHECK(found->second.sizes() == like.sizes(), "optimiser state '{}' has shape [{}], but its parameter [{}]", name,
            fmt::join(found->second.sizes(), ", "), fmt::join(like.sizes(), ", "));
  return found->second;
}

}  // namespace

double global_norm(const std::vector<at::Tensor>& tensors) {
  if (tensors.empty()) return 0;
  return at::stack(at::_foreach_norm(tensors)).to(at::kDouble).norm().item<double>();
}

AdamW::AdamW(OptimiserSettings settings, NamedTensors parameters)
    : settings_(settings), parameters_(std::move(parameters)) {
  check_settings(settings_);
  for (const auto& [name, tensor] : parameters_) {
    SGF_CHECK(tensor.scalar_type() == at::kFloat || tensor.scalar_type() == at::kDouble,
              "master weights must be float32, but '{}' is {}", name, c10::toString(tensor.scalar_type()));
    tensors_.push_back(tensor.detach());  // the same memory, outside any graph
    exp_avg_.push_back(at::zeros_like(tensor));
    exp_avg_sq_.push_back(at::zeros_like(tensor));
    step_counts_.push_back(at::zeros({}, tensor.options().dtype(at::kFloat)));
  }
}

void AdamW::step(const std::vector<at::Tensor>& gradients, double norm, double rate_factor) {
  const at::NoGradGuard no_grad;
  SGF_CHECK(gradients.size() == tensors_.size(), "gradients and parameters must be equal in number, got {} and {}",
            gradients.size(), tensors_.size());
  const bool clipped = settings_.clip_norm > 0 && norm > settings_.clip_norm;
  if (clipped) at::_foreach_mul_(gradients, settings_.clip_norm / norm);
  ++steps_taken_;
  at::_foreach_zero_(step_counts_);
  at::_foreach_add_(step_counts_, static_cast<double>(steps_taken_));
  at::_fused_adamw_(tensors_, gradients, exp_avg_, exp_avg_sq_, {}, step_counts_, settings_.learning_rate * rate_factor,
                    settings_.beta1, settings_.beta2, settings_.weight_decay, settings_.eps, /*amsgrad=*/false,
                    /*maximize=*/false);
}

double AdamW::step(const std::vector<at::Tensor>& gradients) {
  const double norm = global_norm(gradients);
  step(gradients, norm, 1);
  return norm;
}

NamedTensors AdamW::state() const {
  NamedTensors out;
  for (size_t i = 0; i < parameters_.size(); ++i) {
    out.emplace_back("exp_avg." + parameters_[i].first, exp_avg_[i]);
    out.emplace_back("exp_avg_sq." + parameters_[i].first, exp_avg_sq_[i]);
  }
  out.emplace_back("steps", at::tensor({steps_taken_}, at::kLong));
  return out;
}

void AdamW::restore(const NamedTensors& state) {
  const std::map<std::string, at::Tensor> by_name(state.begin(), state.end());
  std::vector<at::Tensor> first, second;
  for (const auto& [name, tensor] : parameters_) {
    first.push_back(find(by_name, "exp_avg." + name, tensor));
    second.push_back(find(by_name, "exp_avg_sq." + name, tensor));
  }
  const at::Tensor steps = find(by_name, "steps", at::empty({1}));
  const at::NoGradGuard no_grad;
  for (size_t i = 0; i < tensors_.size(); ++i) {
    exp_avg_[i].copy_(first[i]);
    exp_avg_sq_[i].copy_(second[i]);
  }
  steps_taken_ = steps.item<int64_t>();
}

}  // namespace sgf
