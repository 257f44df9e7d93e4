// The weights that a network of a run starts from.
#pragma once

#include "sgf/model/dit_weights.h"

#include <filesystem>

namespace sgf {

// Weights to start from: a file or folder of weights as users have them, a run folder (its newest checkpoint) or a
// checkpoint folder; in the last two the slow average where there is one. Refuses another architecture than `config`.
DitWeights read_start_weights(const std::filesystem::path& path, const DitConfig& config, at::TensorOptions options);

}  // namespace sgf
