// A weight's name taken apart: the outer key it lies under, the wrappers around it, and what the network calls it.
// Torch-free; used by weight_names alone.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sgf {

struct PlacedName {
  std::string role;                   // "generator_ema", "state_dict.model", ""
  std::vector<std::string> prefixes;  // "model.", "_fsdp_wrapped_module."
  std::string weight;                 // "blocks.0.self_attn.q.weight", or something else below a DiT's module
};

// Nothing where no part of the name is one of a DiT's outermost modules.
std::optional<PlacedName> place_name(std::string_view name);

}  // namespace sgf
