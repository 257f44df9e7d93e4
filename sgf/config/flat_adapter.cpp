#include "sgf/config/flat_adapter.h"

#include <fmt/format.h>

#include <cmath>

#include "sgf/config/config_files.h"
#include "sgf/config/config_value.h"
#include "sgf/config/flat_config.h"
#include "sgf/core/error.h"

namespace sgf {

// LongLive's defaults: rank 16, and alpha = rank where it is missing, null or 0.
FlatAdapter flat_adapter_of(const ConfigNode& flat) {
  const ConfigNode* adapter = flat.find("adapter");
  if (adapter == nullptr || adapter->kind != ConfigNode::Kind::kMapping) return {};
  const auto number = [&](const char* key, double otherwise) {
    double value = otherwise;
    const ConfigNode* node = adapter->find(key);
    if (node != nullptr && node->kind != ConfigNode::Kind::kNull)
      ConfigValue<double>::read(*node, fmt::format("adapter.{}", key), value);
    return value == 0 ? otherwise : value;
  };
  constexpr double kMostRank = 1 << 20;  // far above any network's width
  const double rank = number("rank", 16), alpha = number("alpha", rank);
  SGF_CHECK(1 <= rank && rank <= kMostRank && rank == std::floor(rank) && std::isfinite(alpha / rank),
            "{}: adapter expects a rank of at least 1 and an alpha, got {} and {}", adapter->origin.where(), rank,
            alpha);
  return {.rank = static_cast<int64_t>(rank), .alpha = alpha};
}

FlatAdapter load_flat_adapter(const std::filesystem::path& file_or_preset,
                              const std::vector<std::filesystem::path>& preset_folders) {
  const ConfigNode tree = load_config_tree(find_config_file(file_or_preset, preset_folders), preset_folders);
  return is_flat_config(tree) ? flat_adapter_of(tree) : FlatAdapter();
}

}  // namespace sgf
