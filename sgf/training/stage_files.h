// A stage's state as the files of one checkpoint folder.
#pragma once

#include "sgf/model/dit_weights.h"
#include "sgf/training/stage.h"

#include <filesystem>

namespace sgf {

// generator.safetensors, ema.safetensors, critic.safetensors: plain DiT weights that any reader of such files takes.
// NAME_optimiser.safetensors: moments. state.json: the step and what is not a tensor.
void write_stage_files(const std::filesystem::path& folder, const StageState& state, const DitConfig& config,
                       int64_t step);

// Tensors are views of the mapped files.
StageState read_stage_files(const std::filesystem::path& folder, int64_t step);

// Weights to start from: a file or folder of weights as users have them, a run folder (its newest checkpoint) or a
// checkpoint folder; in the last two the slow average where there is one. Refuses another architecture than `config`.
DitWeights read_start_weights(const std::filesystem::path& path, const DitConfig& config, at::TensorOptions options);

}  // namespace sgf
