// Builds the network and the rollout of a config, for training and diagnosis.
#pragma once

#include "sgf/assembly/start_file.h"
#include "sgf/config/config.h"
#include "sgf/model/causal_dit.h"
#include "sgf/model/dit_weights.h"
#include "sgf/rollout/roll_out.h"
#include "sgf/weights/weight_names.h"

#include <filesystem>
#include <string>
#include <vector>

namespace sgf {

// Which of a file's networks is loaded, and the LoRAs that are merged into it.
struct WeightChoice {
  WeightPurpose purpose = WeightPurpose::kInference;
  std::vector<LoraUse> loras;
};

// Throws if the weights are not a whole network of this architecture. Reads headers alone: called before anything is
// put on a GPU.
void check_start_weights(const StartWeights& start, const DitConfig& config);

// The same for all networks that the stage of the config reads.
void check_weights_of_stage(const Config& config);

// Loads weights to start from: a file or folder of weights, a run folder (its newest checkpoint) or a checkpoint
// folder; from the last two the EMA if there is one. Throws if the architecture differs from `config`.
DitWeights read_start_weights(const std::filesystem::path& path, const DitConfig& config, at::TensorOptions options,
                              const WeightChoice& choice = {});

// run.dtype, and that of the masters: float32, or float64 where computation is in float64.
at::ScalarType compute_type(const Config& config);
at::ScalarType master_type(const Config& config);

DitOptions dit_options_of(const Config& config);
RolloutSettings rollout_settings_of(const Config& config);

// Weights of a file or a run folder. If `source` is empty, random weights of the seed, with a non-zero head.
DitWeights weights_of(const Config& config, const std::string& source, at::TensorOptions options,
                      const WeightChoice& choice = {});

// A network for inference, with weights as above and these LoRAs merged into them.
CausalDit build_network(const Config& config, const std::string& weights, c10::Device device,
                        const std::vector<LoraUse>& loras = {});

// A frozen teacher with the weights and the size found in `source`.
CausalDit build_teacher(const Config& config, const std::string& source, c10::Device device);

}  // namespace sgf
