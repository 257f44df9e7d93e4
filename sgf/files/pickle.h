// Reads Python pickles, protocols 0 to 5 as torch writes them, into inert values.
#pragma once

#include "sgf/files/pickle_value.h"

#include <cstddef>
#include <span>
#include <string>

namespace sgf {

struct PickleRules {
  std::string source;        // begins every error
  bool torchscript = false;  // also take the classes `__torch__.*` and the list builders of torch.jit as data
};

// Reads up to the first STOP. Throws Error on damage, on a name that is_known_global() does not list, and where the
// values would take more than 4 MB and 32 times the bytes given, or 64 MB: a one-byte operation costs up to eighty.
Pickle read_pickle(std::span<const std::byte> bytes, const PickleRules& rules);

}  // namespace sgf
