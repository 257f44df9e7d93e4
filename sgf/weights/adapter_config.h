// The scaling of a LoRA as PEFT stores it beside the tensors: adapter_config.json, or diffusers' metadata. Torch-free.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sgf {

struct AdapterConfig {
  std::string source;  // what it was read from
  std::optional<int64_t> rank;
  std::optional<double> alpha;
  std::vector<std::pair<std::string, int64_t>> rank_pattern;  // module name or its end -> rank; the first match counts
  std::vector<std::pair<std::string, double>> alpha_pattern;
  bool is_rank_stabilised = false;  // alpha / sqrt(rank) instead of alpha / rank

  // `module` as the adapter's own tensors name it, without wrappers. nullopt if the config does not say.
  std::optional<int64_t> rank_of(std::string_view module) const;
  std::optional<double> alpha_of(std::string_view module) const;
};

// Throws an Error that starts with `source` for other adapters than a LoRA and for variants that are not supported.
// Only keys that start with `prefix` are read ("transformer." in diffusers' metadata).
AdapterConfig adapter_config_from_json(std::string_view text, const std::string& source,
                                       const std::string& prefix = "");

}  // namespace sgf
