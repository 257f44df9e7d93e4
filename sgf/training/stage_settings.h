// Builds the settings of every stage from the config: everything except weights and data.
#pragma once

#include "sgf/assembly/conditioning.h"
#include "sgf/config/config.h"
#include "sgf/training/clip_stage.h"
#include "sgf/training/consistency_stage.h"
#include "sgf/training/dmd_stage.h"
#include "sgf/training/ode_stage.h"

namespace sgf {

ClipStageSettings clip_stage_settings(const Config& config, const Conditioning& surroundings);
OdeStageSettings ode_stage_settings(const Config& config);
ConsistencyStageSettings consistency_stage_settings(const Config& config, const Conditioning& surroundings,
                                                    c10::Device device);
DmdStageSettings dmd_stage_settings(const Config& config);

}  // namespace sgf
