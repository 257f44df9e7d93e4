// What `sgf inspect` reports about a weight file: who wrote it, what it contains, and whether it is complete.
// Torch-free.
#pragma once

#include "sgf/files/tensor_file.h"
#include "sgf/weights/weight_names.h"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace sgf {

// How the DiT under one outer key compares with the network that it should be.
struct DitReport {
  std::string naming;                 // "wan" or "diffusers"
  std::vector<std::string> prefixes;  // wrappers around the names
  std::optional<DitConfig> config;    // num_heads is 0 if unknown
  std::string config_source;          // "config.json", "metadata" or "shapes"; the reason if there is no config
  std::string preset;                 // "wan-1.3b", or ""
  std::vector<std::string> missing;   // official names
  std::vector<std::string> unexpected;
  std::vector<std::string> mismatched;  // "head.head.bias: [64], expected [16]"
  std::string unsupported;              // why it cannot be loaded

  bool is_whole() const {
    return config && missing.empty() && unexpected.empty() && mismatched.empty() && unsupported.empty();
  }
};

// One outer key of the file, "" for names without one.
struct RoleReport {
  std::string name;
  int64_t tensors = 0;
  int64_t parameters = 0;
  bool is_ema = false;
  std::optional<DitReport> dit;
};

struct DtypeCount {
  int64_t tensors = 0;
  int64_t elements = 0;
};

struct WeightReport {
  std::string path;
  std::string format;
  uint64_t bytes = 0;      // of all shards
  std::string content;     // description of files written by sgf: "exit record ..."
  std::string written_by;  // a guess, or "unknown"
  std::vector<RoleReport> roles;
  std::map<std::string, DtypeCount> dtypes;
  int64_t tensors = 0;
  int64_t parameters = 0;                        // elements of all tensors; shared ones count each time
  std::vector<std::vector<std::string>> shared;  // groups of tensors that share bytes
  std::vector<std::string> unindexed;            // tensors in a shard that its index does not name
  std::string problem;                           // of the whole file, such as a checkpoint format that is too new
  bool is_readable = true;                       // false if the checkpoint format is newer than this program's
  std::string hint;                              // a suggestion, such as for one shard of several

  bool has_ema() const;
};

// `path` is what the user passed; a config.json in it or beside it gives the architecture.
WeightReport report_weights(const TensorFile& file, const std::filesystem::path& path);

nlohmann::json to_json(const WeightReport& report);

}  // namespace sgf
