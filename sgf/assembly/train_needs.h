// What training needs beyond a valid config. Torch-free.
#pragma once

#include "sgf/config/config.h"

#include <string>
#include <vector>

namespace sgf {

// Whether a stage learns from clips. causal_ode does so through paths that were guided by clips.
bool reads_clips(StageChoice stage);

// Whether a stage learns from stored paths.
bool reads_pairs(StageChoice stage);

// Whether a stage distils a many-step teacher into a few-step causal student.
bool is_student_stage(StageChoice stage);

// Messages that say which key to set before the stage can start; empty for a config that can be trained.
std::vector<std::string> unmet_needs(const Config& config);

// Files and folders that the config names but that do not exist.
std::vector<std::string> missing_files(const Config& config);

}  // namespace sgf
