// A weight's name split into its outer key, the wrappers around the network, and the name within the network.
// Torch-free; used only by weight_names.
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

// nullopt if no part of the name is one of a DiT's outermost modules.
std::optional<PlacedName> place_name(std::string_view name);

}  // namespace sgf
