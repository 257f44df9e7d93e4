// The weight file that a network of a run starts from: where it lies, which one it is, how large its network is.
// Torch-free.
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
  std::optional<int64_t> step;  // of the checkpoint it lies in, where it lies in one
};

// Step of a run's newest checkpoint whose weights are as they were saved; none where there is none.
std::optional<int64_t> newest_sound_step(const std::filesystem::path& run);

// A file or folder of weights as users have them, a shipped model, a run folder (its newest checkpoint that is not
// damaged; a notice names those passed over) or a checkpoint folder; in the last two the slow average where there is
// one.
StartFile find_start_file(const std::filesystem::path& path);

// The stage whose networks teach a run of this one: causal students of frames or of paths learn from a teacher-forced
// model, all others that have a teacher from a bidirectional one.
StageChoice stage_of_teacher(StageChoice student);

// Refuses a run, or a shipped model, that tells of another stage than the one whose networks `key` takes. Weights alone
// tell of none.
void check_stage_of(const std::string& key, const std::filesystem::path& path, StageChoice stage);

// Such a file, opened and known to hold a DiT.
struct StartWeights {
  std::filesystem::path path;
  TensorFile file;
  DitWeightIndex index;  // points into the file
};
StartWeights open_start_weights(const std::filesystem::path& path);

// The size of the network in such a file: a teacher may be larger than its student. Refuses one that does not speak of
// the same latents and text.
DitConfig read_teacher_config(const std::filesystem::path& path, const DitConfig& student);

}  // namespace sgf
