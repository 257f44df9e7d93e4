// Maps the names of DiT weights in real files to the official ones: outer keys, wrapper prefixes, diffusers.
// Torch-free.
#pragma once

#include "sgf/files/tensor_file.h"
#include "sgf/model/dit_config.h"
#include "sgf/model/weight_table.h"

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sgf {

// The DiT weights found in a file, under official names. Entries point into the file.
struct DitWeightIndex {
  std::string role;                      // their outer key: "generator_ema", "generator", "model", ""
  std::vector<std::string> other_roles;  // outer keys of further DiTs
  std::string naming;                    // "wan" or "diffusers"
  std::vector<std::string> prefixes;     // wrapper prefixes that were stripped
  std::map<std::string, const TensorEntry*> tensors;
  std::vector<std::string> unexpected;  // names in the file under that role that no DiT has
  std::string unsupported;              // why it cannot be loaded, such as "SGF+ ..."; "" if it can
};

// What the weights are for, which decides between several DiTs of a file.
enum class WeightPurpose {
  kInference,  // generator_ema, generator, model, state_dict, (bare): as the authors' inference does
  kTraining,   // generator, model, generator_ema, state_dict, (bare): as the trainers of Self-Forcing, Causal-Forcing
               // and the authors' release do, for starts and teachers
  kCritic,     // critic, then as for training: LongLive's trainer
};

// A LoRA to merge into them, and how strongly.
struct LoraUse {
  std::filesystem::path file;
  double scale = 1;

  bool operator==(const LoraUse&) const = default;
};

// `role` selects one outer key; without it `purpose` decides. An error for a missing role lists the existing ones. SGF+
// files (memory_* twins) are refused by name.
DitWeightIndex index_dit_weights(const TensorFile& file, const std::optional<std::string>& role = std::nullopt,
                                 WeightPurpose purpose = WeightPurpose::kInference);

// Every DiT of a file, in inference's order, including those that cannot be loaded. None in a VAE or a text encoder.
std::vector<DitWeightIndex> find_dits(const TensorFile& file);

// Sizes derived from the tensors' shapes. The shapes do not determine the number of heads: it is taken from the preset
// of these sizes, else heads of width 128 are assumed if they divide the width; otherwise throws an Error that asks for
// a config.json.
DitConfig infer_dit_config(const DitWeightIndex& index);

// The same without a guess for the heads: num_heads is 0. text_len is not determined either and keeps its default.
DitConfig infer_dit_sizes(const DitWeightIndex& index);

// "wan-1.3b" if the sizes are a preset's, else "".
std::string preset_name_of(const DitConfig& config);

// Official or diffusers name -> official name; nullopt if no DiT has such a weight.
std::optional<std::string> official_name(std::string_view name);

// Official name -> diffusers name, for `sgf convert`.
std::string diffusers_name(std::string_view official);

// "generator_ema", "(bare)" for no outer key.
std::string shown_role(std::string_view role);

// "generator_ema; the file also holds generator, critic", "" for a file with one DiT.
std::string describe_role_choice(const DitWeightIndex& index);

}  // namespace sgf
