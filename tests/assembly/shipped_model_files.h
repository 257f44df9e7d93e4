// Reads all files of a bundled model, and holds them to what models/README.md says.
#pragma once

#include "sgf/assembly/shipped_model.h"
#include "sgf/config/config.h"
#include "sgf/core/error.h"
#include "sgf/files/json_file.h"
#include "sgf/files/mapped_file.h"
#include "sgf/files/sha256.h"
#include "sgf/files/tensor_file.h"
#include "sgf/weights/weight_names.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace sgf::testing {

struct ShippedModel {
  std::filesystem::path folder;
  Config config;
  nlohmann::json metrics;  // of metrics.json
  std::string commands;    // of command.txt
  std::string sha256;      // of the weights
  uint64_t weight_bytes = 0;

  std::filesystem::path weights() const { return folder / kShippedWeights; }
};

inline void check_files(const std::filesystem::path& folder) {
  SGF_CHECK(std::filesystem::is_directory(folder), "{}: no such model folder", folder.string());
  for (const char* file : {kShippedWeights, "config.yaml", "metrics.json", "command.txt"})
    SGF_CHECK(std::filesystem::is_regular_file(folder / file),
              "{}: holds no {}; a bundled model needs model.safetensors, config.yaml, metrics.json and command.txt",
              folder.string(), file);
}

// Checks that all weights of the config's network are there in bfloat16.
inline void check_weights(const ShippedModel& model) {
  const TensorFile file = open_tensor_file(model.weights());
  const DitWeightIndex index = index_dit_weights(file);
  for (const WeightShape& weight : expected_dit_weights(model.config.model)) {
    const auto found = index.tensors.find(weight.name);
    SGF_CHECK(found != index.tensors.end() && found->second->shape == weight.shape,
              "{}: {} is missing or differs from the shape in config.yaml", model.weights().string(), weight.name);
    SGF_CHECK(found->second->dtype == DType::kBF16,
              "{}: {} must be bfloat16; convert it with sgf convert --dtype bfloat16", model.weights().string(),
              weight.name);
  }
}

// Throws if a file is missing, or the weights differ from metrics.json, are not bfloat16, or do not match the config.
inline ShippedModel read_shipped_model(const std::filesystem::path& folder,
                                       const std::vector<std::filesystem::path>& preset_folders) {
  check_files(folder);
  ShippedModel model{.folder = folder,
                     .config = load_config(folder / "config.yaml", {}, preset_folders),
                     .metrics = read_json_file(folder / "metrics.json"),
                     .commands = std::string(MappedFile::open(folder / "command.txt")->text()),
                     .sha256 = sha256_of_file(folder / kShippedWeights),
                     .weight_bytes = std::filesystem::file_size(folder / kShippedWeights)};
  const bool names_hash = model.metrics.is_object() && model.metrics.value("sha256", nlohmann::json()).is_string();
  SGF_CHECK(names_hash, "{}: metrics.json lacks the sha256 of its weights", folder.string());
  const auto named = model.metrics["sha256"].get<std::string>();
  SGF_CHECK(named == model.sha256, "{}: metrics.json belongs to other weights ({}...) than those beside it ({}...)",
            folder.string(), named.substr(0, 12), model.sha256.substr(0, 12));
  SGF_CHECK(model.commands.find_first_not_of(" \n") != std::string::npos,
            "{}: command.txt must hold the commands that made the model, but is empty", folder.string());
  check_weights(model);
  return model;
}

}  // namespace sgf::testing
