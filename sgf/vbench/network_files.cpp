#include "sgf/vbench/network_files.h"

#include <optional>

namespace sgf {

std::string prefix_before(const TensorFile& file, std::string_view name) {
  std::optional<std::string> shortest;
  for (const TensorEntry& entry : file.entries) {
    if (!entry.name.ends_with(name)) continue;
    const std::string prefix = entry.name.substr(0, entry.name.size() - name.size());
    const bool is_whole_word = prefix.empty() || prefix.ends_with('.');
    if (is_whole_word && (!shortest || prefix.size() < shortest->size())) shortest = prefix;
  }
  return shortest.value_or("");
}

}  // namespace sgf
