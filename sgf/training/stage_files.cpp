#include "sgf/training/stage_files.h"

#include "sgf/core/atomic_file.h"
#include "sgf/core/checkpoint_format.h"
#include "sgf/core/error.h"
#include "sgf/core/json_file.h"
#include "sgf/model/dit_weights.h"
#include "sgf/model/stored_config.h"
#include "sgf/training/start_file.h"

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
  check(json.is_object() && json.contains("step") && json.contains("counters"), "training",
        "{}: not the state of a checkpoint", path.string());
  return json;
}

void check_architecture(const DitConfig& found, const DitConfig& wanted, const fs::path& path) {
  const auto differ = [&](std::string_view what, int64_t there, int64_t here) {
    check(there == here, "training", "{}: holds a network of another architecture: {} {} there, {} in this config",
          path.string(), what, there, here);
  };
  differ("dim", found.dim, wanted.dim);
  differ("num_layers", found.num_layers, wanted.num_layers);
  differ("ffn_dim", found.ffn_dim, wanted.ffn_dim);
  differ("in_dim", found.in_dim, wanted.in_dim);
  differ("out_dim", found.out_dim, wanted.out_dim);
  differ("text_dim", found.text_dim, wanted.text_dim);
  differ("freq_dim", found.freq_dim, wanted.freq_dim);
}

// No tensor tells the number of heads: with another one the weights fit and mean something else.
void check_stored_config(const TensorFile& file, const DitConfig& wanted, const fs::path& path) {
  const std::optional<DitConfig> stored = find_stored_config(file, path).config;
  check(!stored || stored->num_heads == wanted.num_heads, "training",
        "{}: holds a network of another architecture: num_heads {} there, {} in this config", path.string(),
        stored ? stored->num_heads : 0, wanted.num_heads);
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
  check(json.at("step") == step, "training", "{}: is the state of step {}, not {}", folder.string(),
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

DitWeights read_start_weights(const fs::path& path, const DitConfig& config, at::TensorOptions options) {
  const StartWeights start = open_start_weights(path);
  check_architecture(infer_dit_sizes(start.index), config, start.path);
  check_stored_config(start.file, config, start.path);
  return load_dit_weights(config, start.file, start.index, options);
}

}  // namespace sgf
