// A stage's state as the files of one checkpoint folder.
#pragma once

#include "sgf/model/dit_weights.h"
#include "sgf/training/stage.h"

#include <filesystem>

namespace sgf {

// generator.safetensors, ema.safetensors, critic.safetensors: plain DiT weights for any reader of such files.
// NAME_optimiser.safetensors: moments. state.json: the step and all state that is not a tensor.
void write_stage_files(const std::filesystem::path& folder, const StageState& state, const DitConfig& config,
                       int64_t step);

// Tensors are views of the mapped files.
StageState read_stage_files(const std::filesystem::path& folder, int64_t step);

}  // namespace sgf
