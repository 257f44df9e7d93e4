// Times distribution-matching training: scores, the updates of critic and generator, and a whole cycle of both.
#pragma once

#include "sgf/bench/bench_passes.h"
#include "sgf/training/dmd_step.h"
#include "sgf/training/learner.h"

#include <nlohmann/json.hpp>

#include <functional>
#include <string>

namespace sgf {

class PhaseClock;

// The inputs of one step: networks, prompts and all draws.
struct TrainingInputs {
  DitConfig config;
  DitWeights generator, critic;  // float32 masters
  DitWeights teacher;            // in the compute dtype
  DmdSettings settings;
  std::vector<int64_t> latent;  // [B, F, C, H, W]
  DmdInputs generator_inputs, critic_inputs;
};

// Random weights and Philox draws, or those of an `sgf_step` recording if the setting names one.
TrainingInputs training_inputs(const PassesSettings& setting);

// Three networks and two optimisers as in training, with the same updates.
class TrainingBench {
 public:
  TrainingBench(const PassesSettings& setting, TrainingInputs inputs);

  // The JSON line of "score", "critic", "generator" or "cycle" (five critic updates, then one generator update).
  nlohmann::json run(const std::string& item);
  static bool knows(const std::string& item);

 private:
  nlohmann::json described(const std::string& item) const;
  void score(PhaseClock& clock);
  void update_critic(PhaseClock& clock, const std::string& prefix);
  void update_generator(PhaseClock& clock);
  void apply(Learner& learner, const at::Tensor& loss, PhaseClock& clock, const std::string& prefix);

  DmdNetworks networks() const { return {generator_.network(), teacher_, critic_.network()}; }

  const PassesSettings& s_;
  TrainingInputs in_;
  Learner generator_;
  Learner critic_;
  CausalDit teacher_;
};

}  // namespace sgf
