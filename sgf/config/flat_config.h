// Flat Self-Forcing-style YAML: the files that users of Self-Forcing, Causal-Forcing and the paper's release have.
// Their keys become ours, and every one of them is accounted for.
#pragma once

#include <string_view>

#include "sgf/config/flat_translation.h"

namespace sgf {

// A mapping with keys that only such files have, and none of our sections.
bool is_flat_config(const ConfigNode& tree);

// Refuses unknown keys, and values that ask for something that is not done here.
FlatTranslation translate_flat(const ConfigNode& flat);

// Refuses a flat key among sections, and "lr=1e-5" as an override: both name our key.
void refuse_flat_keys(const ConfigNode& tree);
void refuse_flat_override(std::string_view assignment);

}  // namespace sgf
