// What a flat, Self-Forcing-style file says in this program's keys.
#pragma once

#include <string>
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

}  // namespace sgf
