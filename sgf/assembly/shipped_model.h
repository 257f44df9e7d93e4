// A model that comes along with the program: a folder with its weights, its config, its scores and the commands that
// made it, as models/README.md says. Torch-free.
#pragma once

#include "sgf/config/config.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace sgf {

inline constexpr const char* kShippedWeights = "model.safetensors";

// Whether a folder looks like one: weights and a config. A run folder keeps its weights in checkpoints.
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

// An Error says what is missing, or that the weights are not those of metrics.json, not of 16 bits or no network of
// the config's sizes.
ShippedModel read_shipped_model(const std::filesystem::path& folder,
                                const std::vector<std::filesystem::path>& preset_folders);

}  // namespace sgf
