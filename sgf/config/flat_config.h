// Flat Self-Forcing-style YAML: the files of Self-Forcing, Causal-Forcing and the paper's release. Every key is
// translated to ours or noted as unused.
#pragma once

#include "sgf/config/config_tree.h"

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace sgf {

// What became of one key of the file.
struct FlatNote {
  std::string key;
  std::string ours;    // our key, with the value if it differs; empty: not used
  std::string remark;  // what to watch for, or why it is not used
};

struct FlatTranslation {
  std::string preset;  // base of `tree`: has the sizes of the generator
  ConfigNode tree;     // in our sections; values keep where they were written
  std::vector<FlatNote> notes;
  std::string not_for_training;  // why such a file cannot be trained, and what can; empty if it can
};

// True for a mapping with keys that only such files have, and with none of our sections.
bool is_flat_config(const ConfigNode& tree);

// The flat file over the configs/default_config.yaml beside it, over which Self-Forcing's scripts merge every config,
// with a note; the file alone if there is none.
ConfigNode with_defaults_beside(ConfigNode flat, const std::filesystem::path& file, std::vector<FlatNote>& notes);

// Throws on unknown keys and on values that are not supported.
FlatTranslation translate_flat(const ConfigNode& flat);

// Throws on a flat key among sections, and on "lr=1e-5" as an override. The message names our key.
void refuse_flat_keys(const ConfigNode& tree);
void refuse_flat_override(std::string_view assignment);

}  // namespace sgf
