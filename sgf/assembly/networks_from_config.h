// The network and the rollout that a config asks for: what training and diagnosis build alike.
#pragma once

#include "sgf/config/config.h"
#include "sgf/model/causal_dit.h"
#include "sgf/model/dit_weights.h"
#include "sgf/rollout/roll_out.h"

#include <filesystem>
#include <string>

namespace sgf {

// Weights to start from: a file or folder of weights as users have them, a run folder (its newest checkpoint) or a
// checkpoint folder; in the last two the EMA if there is one. Refuses another architecture than `config`.
DitWeights read_start_weights(const std::filesystem::path& path, const DitConfig& config, at::TensorOptions options);

// run.dtype, and that of the masters: float32, or float64 where computation is in float64.
at::ScalarType compute_type(const Config& config);
at::ScalarType master_type(const Config& config);

DitOptions dit_options_of(const Config& config);
RolloutSettings rollout_settings_of(const Config& config);

// Weights of a file or a run folder, or where `source` is empty fresh ones of the seed, whose head is not zero.
DitWeights weights_of(const Config& config, const std::string& source, at::TensorOptions options);

// A network to run, not to train, with weights as above.
CausalDit build_network(const Config& config, const std::string& weights, c10::Device device);

// A frozen teacher with weights of `source`, of its own size.
CausalDit build_teacher(const Config& config, const std::string& source, c10::Device device);

}  // namespace sgf
