// Flat Self-Forcing-style YAML: the files that users of Self-Forcing, Causal-Forcing and the paper's release have.
// Their keys become ours, and every one of them is accounted for.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sgf/config/config_tree.h"

namespace sgf {

// What became of one key of the file.
struct FlatNote {
  std::string key;
  std::string ours;    // the key it became, with the value where that is another; empty: it is not used
  std::string remark;  // the trap, or why it is not used
};

struct FlatTranslation {
  std::string preset;  // that `tree` builds on: the sizes of the generator
  ConfigNode tree;     // sections of ours; values remember where they were written
  std::vector<FlatNote> notes;
};

// A mapping with keys that only such files have, and none of our sections.
bool is_flat_config(const ConfigNode& tree);

// Refuses unknown keys, and values that ask for something that is not done here.
FlatTranslation translate_flat(const ConfigNode& flat);

// Refuses a flat key among sections, and "lr=1e-5" as an override: both name our key.
void refuse_flat_keys(const ConfigNode& tree);
void refuse_flat_override(std::string_view assignment);

}  // namespace sgf
