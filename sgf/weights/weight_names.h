// Names of DiT weights in the wild, brought to the official ones: outer keys, wrapper prefixes, diffusers. Torch-free.
#pragma once

#include "sgf/files/tensor_file.h"
#include "sgf/model/dit_config.h"
#include "sgf/model/weight_table.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sgf {

// The DiT weights found in a file, under official names. Entries point into the file.
struct DitWeightIndex {
  std::string role;                      // outer key they lay under: "generator_ema", "generator", "model", ""
  std::vector<std::string> other_roles;  // outer keys that hold a DiT too
  std::string naming;                    // "wan" or "diffusers"
  std::vector<std::string> prefixes;     // wrapper prefixes that were stripped
  std::map<std::string, const TensorEntry*> tensors;
  std::vector<std::string> unexpected;  // the file's names under that role that no DiT has
  std::string unsupported;              // why it cannot be loaded, "" where it can: "SGF+ ..."
};

// `role` asks for one outer key; without it generator_ema, generator, model, state_dict, (bare) are tried in order.
// Asking for a missing role names those that are there. SGF+ files (memory_* twins) are refused by that name.
DitWeightIndex index_dit_weights(const TensorFile& file, const std::optional<std::string>& role = std::nullopt);

// Every DiT of a file, in that order, those that cannot be loaded too. None in a VAE or a text encoder.
std::vector<DitWeightIndex> find_dits(const TensorFile& file);

// Sizes read off the tensors' shapes. The number of heads leaves no trace: that of the preset of these sizes, else
// heads of 128 are assumed where they divide, else it throws and asks for a config.json.
DitConfig infer_dit_config(const DitWeightIndex& index);

// The same without a guess at the heads: num_heads is 0. text_len leaves no trace either and keeps its default.
DitConfig infer_dit_sizes(const DitWeightIndex& index);

// "wan-1.3b" where the sizes are a preset's, else "".
std::string preset_name_of(const DitConfig& config);

// Official or diffusers name -> official name; nothing where no DiT has such a weight.
std::optional<std::string> official_name(std::string_view name);

// Official name -> diffusers name, for `sgf convert`.
std::string diffusers_name(std::string_view official);

// "generator_ema", "(bare)" for no outer key.
std::string shown_role(std::string_view role);

}  // namespace sgf
