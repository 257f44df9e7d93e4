// Builds a stage from a config.
#pragma once

#include "sgf/assembly/conditioning.h"
#include "sgf/config/config.h"
#include "sgf/training/clip_stage.h"
#include "sgf/training/consistency_stage.h"
#include "sgf/training/dmd_stage.h"
#include "sgf/training/ode_stage.h"
#include "sgf/training/stage.h"

#include <c10/core/Device.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace sgf {

// The settings of every stage: everything except weights and data.
ClipStageSettings clip_stage_settings(const Config& config, const Conditioning& conditioning);
OdeStageSettings ode_stage_settings(const Config& config);
ConsistencyStageSettings consistency_stage_settings(const Config& config, const Conditioning& conditioning,
                                                    c10::Device device);
DmdStageSettings dmd_stage_settings(const Config& config);

// Loads all weights that the config names. Masters are float32, computation is in run.dtype; with float64 both are
// float64.
std::unique_ptr<Stage> build_stage(const Config& config, const Conditioning& conditioning, c10::Device device,
                                   const Ranks& ranks = Ranks::alone());

// The prompts of a file that this rank reads in the steps [first, last) and those of its samples, each once; none where
// captions come from elsewhere.
std::vector<std::string> prompts_of_steps(const Config& config, const Conditioning& surroundings, const Ranks& ranks,
                                          int64_t first, int64_t last);

// The attention window of causal_ode paths as text, stored with a folder of pairs; empty for other stages.
std::string pair_context(const Config& config);

// The parts of the dmd stage, for callers that use them directly.
struct DmdParts {
  DmdStageSettings settings;
  TrainedDit generator;
  CausalDit teacher;
  TrainedDit critic;
  DmdData data;

  DmdNetworks networks() const { return {generator.network(), teacher, critic.network()}; }
};
DmdParts build_dmd_parts(const Config& config, const Conditioning& conditioning, c10::Device device);

}  // namespace sgf
