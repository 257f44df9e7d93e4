// From a config to a stage that is ready to step.
#pragma once

#include "sgf/assembly/conditioning.h"
#include "sgf/config/config.h"
#include "sgf/training/dmd_stage.h"
#include "sgf/training/stage.h"

#include <c10/core/Device.h>

#include <memory>

namespace sgf {

// Reads all weights it names. Masters are float32, computation is in run.dtype (float64 computes and keeps float64).
std::unique_ptr<Stage> build_stage(const Config& config, const Conditioning& surroundings, c10::Device device,
                                   const Ranks& ranks = Ranks::alone());

// How blocks see each other in the paths of causal_ode, in words that name a folder of pairs; else empty.
std::string pair_context(const Config& config);

// What the dmd stage is made of, for those who look at its parts.
struct DmdParts {
  DmdStageSettings settings;
  TrainedDit generator;
  CausalDit teacher;
  TrainedDit critic;
  DmdData data;

  DmdNetworks networks() const { return {generator.network(), teacher, critic.network()}; }
};
DmdParts build_dmd_parts(const Config& config, const Conditioning& surroundings, c10::Device device);

}  // namespace sgf
