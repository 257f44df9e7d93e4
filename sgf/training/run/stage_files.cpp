#include "sgf/training/run/stage_files.h"

#include "sgf/core/error.h"
#include "sgf/files/atomic_file.h"
#include "sgf/files/checkpoint_format.h"
#include "sgf/files/json_file.h"
#include "sgf/model/dit_weights.h"
#include "sgf/weights/stored_config.h"

#include <ATen/ATen.h>

namespace sgf {
namespace {

namespace fs = std::filesystem;

constexpr const char* kStateFile = "state.json";
constexpr const char* kOptimiserEnding = "_optimiser";

void write_tensors(const fs::path& path, const NamedTensors& tensors, std::map<std::string, std::string> metadata,
                   const char* kind) {
  stamp(metadata, kind);
  save_tensors(path, tensors, metadata);
}

NamedTensors read_tensors(const fs::path& path, const char* kind) {
  const TensorFile file = open_checkpoint(path, kind);
  NamedTensors tensors;
  for (const TensorEntry& entry : file.entries) tensors.emplace_back(entry.name, map_tensor(file, entry));
  return tensors;
}

nlohmann::json read_state(const fs::path& path) {
  nlohmann::json json = read_json_file(path);
  SGF_CHECK(json.is_object() && json.contains("step") && json.contains("counters"),
            "{}: expected the state of a checkpoint, an object with step and counters", path.string());
  return json;
}

}  // namespace

void write_stage_files(const fs::path& folder, const StageState& state, const DitConfig& config, int64_t step) {
  for (const auto& [name, tensors] : state.networks)
    write_tensors(folder / (name + ".safetensors"), tensors, {{kConfigKey, to_json(config)}, {"format", "pt"}}, "dit");
  for (const auto& [name, tensors] : state.optimisers)
    write_tensors(folder / (name + kOptimiserEnding + ".safetensors"), tensors, {}, "optimiser");
  AtomicFile file(folder / kStateFile);
  file.write(nlohmann::json{{"step", step}, {"counters", state.counters}}.dump(1) + '\n');
  file.commit();
}

StageState read_stage_files(const fs::path& folder, int64_t step) {
  const nlohmann::json json = read_state(folder / kStateFile);
  SGF_CHECK(json.at("step") == step, "{}: holds the state of step {}, expected step {}", folder.string(),
            json.at("step").dump(), step);
  StageState state{.counters = json.at("counters")};
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() != ".safetensors") continue;
    std::string name = entry.path().stem().string();
    if (name.ends_with(kOptimiserEnding))
      state.optimisers[name.substr(0, name.size() - std::strlen(kOptimiserEnding))] =
          read_tensors(entry.path(), "optimiser");
    else
      state.networks[name] = read_tensors(entry.path(), "dit");
  }
  return state;
}

}  // namespace sgf
