// The DiT config that travels with a weight file: in its metadata or as config.json beside it. Torch-free.
#pragma once

#include "sgf/files/tensor_file.h"
#include "sgf/model/dit_config.h"

#include <filesystem>
#include <optional>
#include <string>

namespace sgf {

// Metadata key under which recordings and our own files carry the config, as JSON.
inline constexpr const char* kConfigKey = "config";

struct StoredConfig {
  std::optional<DitConfig> config;
  std::string source;   // "metadata" or "config.json"
  std::string problem;  // why one that is there was not used
};

// `path` is the file or folder that was opened. Never throws: a config of something else is a problem to report.
StoredConfig find_stored_config(const TensorFile& file, const std::filesystem::path& path);

}  // namespace sgf
