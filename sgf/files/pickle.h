// Reads Python pickles, protocols 0 to 5 as torch writes them, as plain data.
#pragma once

#include "sgf/files/pickle_value.h"

#include <cstddef>
#include <span>
#include <string>

namespace sgf {

struct PickleRules {
  std::string source;        // starts every error message
  bool torchscript = false;  // also accept the classes `__torch__.*` and the list builders of torch.jit as data
};

// Reads up to the first STOP. Throws Error on damage, on a name that is_known_global() does not list, and if the values
// would take more than 4 MB and 32 times the bytes given, or more than 64 MB: a one-byte operation can cost eighty.
Pickle read_pickle(std::span<const std::byte> bytes, const PickleRules& rules);

}  // namespace sgf
