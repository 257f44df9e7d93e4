// The DiT config stored with a weight file: in its metadata or as config.json beside it. Torch-free.
#pragma once

#include "sgf/files/tensor_file.h"
#include "sgf/model/dit_config.h"

#include <filesystem>
#include <optional>
#include <string>

namespace sgf {

// Metadata key of the config, as JSON, in recordings and sgf's own files.
inline constexpr const char* kConfigKey = "config";

struct StoredConfig {
  std::optional<DitConfig> config;
  std::string source;   // "metadata" or "config.json"
  std::string problem;  // why an existing config was not used
};

// `path` is the file or folder that was opened. Never throws: an unusable config is reported as a problem.
StoredConfig find_stored_config(const TensorFile& file, const std::filesystem::path& path);

}  // namespace sgf
