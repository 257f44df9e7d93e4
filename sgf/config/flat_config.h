// Flat Self-Forcing-style YAML: the files of Self-Forcing, Causal-Forcing and the paper's release. Every key is
// translated to ours or noted as unused.
#pragma once

#include <string_view>

#include "sgf/config/flat_translation.h"

namespace sgf {

// True for a mapping with keys that only such files have, and with none of our sections.
bool is_flat_config(const ConfigNode& tree);

// Throws on unknown keys and on values that are not supported.
FlatTranslation translate_flat(const ConfigNode& flat);

// Throws on a flat key among sections, and on "lr=1e-5" as an override. The message names our key.
void refuse_flat_keys(const ConfigNode& tree);
void refuse_flat_override(std::string_view assignment);

}  // namespace sgf
