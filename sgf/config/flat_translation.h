// A flat, Self-Forcing-style file translated to the keys of this program.
#pragma once

#include <string>
#include <vector>

#include "sgf/config/config_tree.h"

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
  double lora_factor = 1;        // alpha / rank of the LoRA that the file describes
  std::string not_for_training;  // why such a file cannot be trained, and what can; empty if it can
};

}  // namespace sgf
