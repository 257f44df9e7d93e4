#include "sgf/assembly/start_file.h"

#include "sgf/assembly/shipped_model.h"
#include "sgf/core/error.h"
#include "sgf/core/notice.h"
#include "sgf/files/bundled.h"
#include "sgf/files/checkpoint_format.h"
#include "sgf/files/mapped_file.h"
#include "sgf/runs/checkpoint_store.h"
#include "sgf/runs/run_folder.h"
#include "sgf/weights/stored_config.h"
#include "sgf/weights/weight_folder.h"

#include <fmt/ranges.h>

#include <algorithm>

namespace sgf {
namespace {

namespace fs = std::filesystem;

// The step in the name of a checkpoint folder, "step_00000010".
std::optional<int64_t> step_of_folder(const fs::path& folder) {
  const std::string name = folder.filename().string();
  const std::string digits = name.starts_with("step_") ? name.substr(5) : "";
  const bool is_number = !digits.empty() && digits.size() <= 18 &&
                         std::ranges::all_of(digits, [](char c) { return c >= '0' && c <= '9'; });
  return is_number ? std::optional(std::stoll(digits)) : std::nullopt;
}

// The EMA if there is one.
const char* weights_in(const fs::path& checkpoint) {
  return fs::exists(checkpoint / "ema.safetensors") ? "ema.safetensors" : "generator.safetensors";
}

CheckpointChoice choose_by_weights(const fs::path& run) {
  return CheckpointStore(run / "checkpoints").choose([](const fs::path& checkpoint) {
    return [name = std::string(weights_in(checkpoint))](const std::string& file) { return file == name; };
  });
}

// Skips damaged checkpoints with a notice.
fs::path newest_checkpoint(const fs::path& run) {
  const CheckpointChoice choice = choose_by_weights(run);
  SGF_CHECK(choice.step.has_value(), "{}: {}", run.string(),
            choice.passed_over.empty()
                ? "the run has no checkpoint yet"
                : fmt::format("all checkpoints of the run are damaged: {}; restore one from a copy, or train again",
                              fmt::join(choice.passed_over, "; ")));
  for (const std::string& damage : choice.passed_over)
    notice_once(damage, fmt::format("skipped a damaged checkpoint: {}/{}; the checkpoint of update {} is used",
                                    (run / "checkpoints").string(), damage, *choice.step));
  return CheckpointStore(run / "checkpoints").folder_of(*choice.step);
}

}  // namespace

std::optional<int64_t> newest_sound_step(const fs::path& run) { return choose_by_weights(run).step; }

StartFile find_start_file(const fs::path& named) {
  const fs::path path = find_bundled(named);
  SGF_CHECK(fs::exists(path), "{}: no such weights or run folder", path.string());
  if (is_shipped_model(path)) return {path / kShippedWeights, std::nullopt};
  const fs::path folder = is_run_folder(path) ? newest_checkpoint(path) : path;
  if (!fs::exists(folder / "state.json")) return {find_dit_file(path), std::nullopt};
  return {folder / weights_in(folder), step_of_folder(folder)};
}

StageChoice stage_of_teacher(StageChoice student) {
  const bool is_causal = student == StageChoice::kCausalCd || student == StageChoice::kCausalOde;
  return is_causal ? StageChoice::kTeacherForcing : StageChoice::kFlowMatching;
}

void check_stage_of(const std::string& key, const fs::path& named, StageChoice stage) {
  const fs::path path = find_bundled(named);
  if (!is_run_folder(path) && !is_shipped_model(path)) return;
  const fs::path file = path / "config.yaml";
  const StageChoice own = parse_config(MappedFile::open(file)->text(), file.string()).train.stage;
  SGF_CHECK(own == stage, "{} {}: is a run of {}, expected a run of {}; to use it anyway, name its weight file", key,
            path.string(), enum_name(own), enum_name(stage));
}

StartWeights open_start_weights(const fs::path& path, WeightPurpose purpose) {
  StartWeights start{.path = find_start_file(path).path};
  start.file = open_tensor_file(start.path);
  check_own_file(start.file, start.path);
  start.index = index_dit_weights(start.file, std::nullopt, purpose);
  return start;
}

std::string describe_network_choice(const fs::path& path, WeightPurpose purpose) {
  const StartWeights start = open_start_weights(path, purpose);
  const std::string choice = describe_role_choice(start.index);
  return choice.empty() ? "" : fmt::format("{}: uses {}", start.path.string(), choice);
}

DitConfig read_teacher_config(const fs::path& path, const DitConfig& student) {
  const StartWeights start = open_start_weights(path, WeightPurpose::kTraining);
  DitConfig config = student;
  const DitConfig sizes = infer_dit_sizes(start.index);
  if (sizes.dim != student.dim || sizes.num_layers != student.num_layers || sizes.ffn_dim != student.ffn_dim) {
    const std::optional<DitConfig> stored = find_stored_config(start.file, start.path).config;
    config = stored ? *stored : infer_dit_config(start.index);
    config.text_len = student.text_len;  // not visible in the weights
  }
  SGF_CHECK(config.in_dim == student.in_dim && config.out_dim == student.out_dim &&
                config.text_dim == student.text_dim && config.patch_size == student.patch_size,
            "{}: this teacher reads latents with {} channels and text embeddings of width {}, the student {} and {}",
            start.path.string(), config.in_dim, config.text_dim, student.in_dim, student.text_dim);
  return config;
}

}  // namespace sgf
