// Wrappers that torch puts around any module are dropped anywhere in a name. Wrappers that users put around the whole
// network are dropped only directly before it.
#include "sgf/weights/placed_name.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

namespace sgf {
namespace {

using Parts = std::vector<std::string_view>;

constexpr std::array<std::string_view, 3> kModuleWrappers{"_fsdp_wrapped_module", "_checkpoint_wrapped_module",
                                                          "_orig_mod"};
constexpr std::array<std::string_view, 3> kNetworkWrappers{"model", "diffusion_model", "module"};
constexpr std::array<std::string_view, 10> kOutermost{
    "patch_embedding",    "text_embedding", "time_embedding",    "time_projection", "blocks", "head",
    "condition_embedder", "proj_out",       "scale_shift_table", "img_emb"};

template <class Range>
bool holds(const Range& range, std::string_view value) {
  return std::ranges::find(range, value) != range.end();
}

bool is_outermost(std::string_view part) { return holds(kOutermost, part) || part.starts_with("memory_"); }

Parts split(std::string_view name) {
  Parts parts;
  for (size_t dot = name.find('.'); dot != std::string_view::npos; dot = name.find('.')) {
    parts.push_back(name.substr(0, dot));
    name.remove_prefix(dot + 1);
  }
  parts.push_back(name);
  return parts;
}

// The parts without module wrappers; each kind of wrapper is recorded once.
Parts unwrap(const Parts& parts, std::vector<std::string>& prefixes) {
  Parts kept;
  for (const std::string_view part : parts) {
    if (!holds(kModuleWrappers, part)) {
      kept.push_back(part);
      continue;
    }
    const std::string prefix = fmt::format("{}.", part);
    if (!holds(prefixes, prefix)) prefixes.push_back(prefix);
  }
  return kept;
}

// "model" is both: an outer key if it is first, a wrapper elsewhere and in ComfyUI's "model.diffusion_model".
size_t role_length(const Parts& outer) {
  size_t length = outer.size();
  while (length > 0 && holds(kNetworkWrappers, outer[length - 1])) --length;
  const bool is_comfy = outer.size() > 1 && outer[1] == "diffusion_model";
  if (length == 0 && !outer.empty() && outer[0] == "model" && !is_comfy) return 1;
  return length;
}

}  // namespace

std::optional<PlacedName> place_name(std::string_view name) {
  PlacedName placed;
  const Parts parts = unwrap(split(name), placed.prefixes);
  const auto start = std::ranges::find_if(parts, is_outermost);
  if (start == parts.end()) return std::nullopt;

  const Parts outer(parts.begin(), start);
  const auto wrappers = outer.begin() + static_cast<std::ptrdiff_t>(role_length(outer));
  placed.role = fmt::format("{}", fmt::join(outer.begin(), wrappers, "."));
  if (wrappers != outer.end()) {
    placed.prefixes.insert(placed.prefixes.begin(), fmt::format("{}.", fmt::join(wrappers, outer.end(), ".")));
  }
  placed.weight = fmt::format("{}", fmt::join(start, parts.end(), "."));
  return placed;
}

}  // namespace sgf
