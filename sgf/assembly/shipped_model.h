// A bundled model: a folder with weights, config, scores and the commands that made it; see models/README.md.
// Torch-free.
#pragma once

#include <filesystem>

namespace sgf {

inline constexpr const char* kShippedWeights = "model.safetensors";

// Whether a folder holds weights and a config. A run folder keeps its weights in checkpoints.
bool is_shipped_model(const std::filesystem::path& folder);

}  // namespace sgf
