// The settings of an optimiser and of its learning rate. Torch-free.
#pragma once

#include "sgf/core/enum_names.h"

#include <array>
#include <cstdint>

namespace sgf {

enum class RateDecay { kConstant, kCosine };

constexpr auto enum_names(RateDecay) {
  return std::array{EnumName{RateDecay::kConstant, "constant"}, EnumName{RateDecay::kCosine, "cosine"}};
}

// AdamW; weight decay is on all parameters.
struct OptimiserSettings {
  double learning_rate = 2e-6;
  double beta1 = 0.0;
  double beta2 = 0.999;
  double weight_decay = 0.01;
  double eps = 1e-8;
  double clip_norm = 10;
  int64_t warmup_steps = 0;
  RateDecay decay = RateDecay::kConstant;
  double final_share = 0.1;

  bool operator==(const OptimiserSettings&) const = default;
};

template <class V>
void describe(V& v, OptimiserSettings& o) {
  v.field("learning_rate", o.learning_rate, "learning rate of AdamW, above 0");
  v.field("beta1", o.beta1, "decay of the first moment, from 0 to below 1");
  v.field("beta2", o.beta2, "decay of the second moment, from 0 to below 1");
  v.field("weight_decay", o.weight_decay, "weight decay of all parameters, 0 or more");
  v.field("eps", o.eps, "epsilon added to the root of the second moment, above 0");
  v.field("clip_norm", o.clip_norm, "largest norm of the gradient; 0 = no clipping");
  v.field("warmup_steps", o.warmup_steps, "updates in which the learning rate rises from 0, 0 or more");
  v.field("decay", o.decay, "decay of the learning rate over train.steps");
  v.field("final_share", o.final_share, "share of the learning rate that cosine decay ends at, 0 to 1");
}

}  // namespace sgf
