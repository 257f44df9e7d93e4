// A bundled model: a folder with weights, config, scores and the commands that made it; see models/README.md.
// Torch-free.
#pragma once

#include "sgf/config/config.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace sgf {

inline constexpr const char* kShippedWeights = "model.safetensors";

// Whether a folder holds weights and a config. A run folder keeps its weights in checkpoints.
bool is_shipped_model(const std::filesystem::path& folder);

struct ShippedModel {
  std::filesystem::path folder;
  Config config;
  nlohmann::json metrics;  // of metrics.json
  std::string commands;    // of command.txt
  std::string sha256;      // of the weights
  uint64_t weight_bytes = 0;

  std::filesystem::path weights() const { return folder / kShippedWeights; }
};

// Throws if a file is missing, or the weights differ from metrics.json, are not bfloat16, or do not match the config.
ShippedModel read_shipped_model(const std::filesystem::path& folder,
                                const std::vector<std::filesystem::path>& preset_folders);

}  // namespace sgf
