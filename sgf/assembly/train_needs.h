// What training asks of a config beyond a sound one. Torch-free.
#pragma once

#include "sgf/config/config.h"

#include <string>
#include <vector>

namespace sgf {

// Whether a stage learns clips, those of encoded videos too; causal_ode does through paths that clips led.
bool reads_clips(StageChoice stage);

// Whether a stage learns paths that were made beforehand.
bool reads_pairs(StageChoice stage);

// Whether a stage makes a few-step causal student of a many-step teacher.
bool is_student_stage(StageChoice stage);

// What the stage cannot begin with, in words that name the key to set; empty for a config that can be trained.
std::vector<std::string> unmet_needs(const Config& config);

// Files and folders that the config names and that are not there.
std::vector<std::string> missing_files(const Config& config);

}  // namespace sgf
