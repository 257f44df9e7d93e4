// The LoRA that a flat file describes. LongLive's code takes rank and alpha from there: its LoRA files have no alpha.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "sgf/config/config_tree.h"

namespace sgf {

struct FlatAdapter {
  int64_t rank = 0;  // 0: none is described
  double alpha = 0;

  double factor() const { return rank == 0 ? 1 : alpha / static_cast<double>(rank); }
};

// Throws for an adapter whose rank or alpha is out of range.
FlatAdapter flat_adapter_of(const ConfigNode& flat);

// Of a config that load_config takes; none if it is no flat file.
FlatAdapter load_flat_adapter(const std::filesystem::path& file_or_preset,
                              const std::vector<std::filesystem::path>& preset_folders);

}  // namespace sgf
