#include "sgf/training/ema.h"

#include "sgf/core/error.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include <utility>

namespace sgf {
namespace {

constexpr const char* kEmaName = "ema";

}  // namespace

Ema::Ema(double decay, int64_t start_step, NamedTensors weights)
    : decay_(decay), start_step_(start_step), weights_(std::move(weights)) {
  SGF_CHECK(decay >= 0 && decay < 1, "the EMA decay must be at least 0 and less than 1, got {}", decay);
}

void Ema::begin() {
  shadow_.clear();
  for (const auto& [name, weight] : weights_) shadow_.emplace_back(name, weight.detach().clone());
}

void Ema::enter(int64_t step) {
  if (!has_started() && step >= start_step_) begin();
}

void Ema::update() {
  if (!has_started()) return;
  const at::NoGradGuard no_grad;
  std::vector<at::Tensor> averages, weights;
  for (size_t i = 0; i < weights_.size(); ++i) {
    averages.push_back(shadow_[i].second);
    weights.push_back(weights_[i].second.detach());
  }
  at::_foreach_mul_(averages, decay_);
  at::_foreach_add_(averages, weights, 1 - decay_);
}

void Ema::save(StageState& state) const {
  if (has_started()) state.networks[kEmaName] = shadow_;
}

void Ema::restore(const StageState& state) {
  shadow_.clear();
  const auto saved = state.networks.find(kEmaName);
  if (saved == state.networks.end()) return;
  const NamedTensors& shadow = saved->second;
  SGF_CHECK(shadow.size() == weights_.size(),
            "the saved EMA must have one tensor per weight, got {} tensors for {} weights", shadow.size(),
            weights_.size());
  NamedTensors restored;
  for (size_t i = 0; i < shadow.size(); ++i) {
    SGF_CHECK(shadow[i].first == weights_[i].first && shadow[i].second.sizes() == weights_[i].second.sizes(),
              "the saved EMA has '{}' where '{}' was expected", shadow[i].first, weights_[i].first);
    restored.emplace_back(shadow[i].first, shadow[i].second.to(weights_[i].second.options(), false, /*copy=*/true));
  }
  shadow_ = std::move(restored);
}

}  // namespace sgf
