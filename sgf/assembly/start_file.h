// The weight file that a network of a run starts from: its path, checkpoint step and network size. Torch-free.
#pragma once

#include "sgf/config/config.h"
#include "sgf/files/tensor_file.h"
#include "sgf/model/dit_config.h"
#include "sgf/weights/weight_names.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace sgf {

struct StartFile {
  std::filesystem::path path;
  std::optional<int64_t> step;  // of its checkpoint, if it is in one
};

// Step of a run's newest intact checkpoint, if any.
std::optional<int64_t> newest_sound_step(const std::filesystem::path& run);

// Accepts a file or folder of weights, a bundled model, a run folder (its newest intact checkpoint; a notice names
// skipped ones) or a checkpoint folder. The last two give the EMA if there is one.
StartFile find_start_file(const std::filesystem::path& path);

// The stage of the teacher for a run of this stage: teacher_forcing for causal_cd and causal_ode, flow_matching for the
// others that have a teacher.
StageChoice stage_of_teacher(StageChoice student);

// Throws if a run or a bundled model is of another stage than `key` needs. Plain weights have no stage.
void check_stage_of(const std::string& key, const std::filesystem::path& path, StageChoice stage);

// Such a file, opened and checked to hold a DiT.
struct StartWeights {
  std::filesystem::path path;
  TensorFile file;
  DitWeightIndex index;  // points into the file
};
StartWeights open_start_weights(const std::filesystem::path& path, WeightPurpose purpose = WeightPurpose::kInference);

// "model.pt: uses generator_ema; the file also holds generator", "" if the file holds one network.
std::string describe_network_choice(const std::filesystem::path& path, WeightPurpose purpose);

// The size of the network in such a file; a teacher may be larger than its student. Throws if latent channels or text
// width differ from the student's. Of several networks in a file it is that of training.
DitConfig read_teacher_config(const std::filesystem::path& path, const DitConfig& student);

}  // namespace sgf
