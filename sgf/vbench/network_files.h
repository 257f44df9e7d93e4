// Finds the weights of a network in a user's file.
#pragma once

#include "sgf/files/tensor_file.h"

#include <string>
#include <string_view>

namespace sgf {

// The prefix of `name` in the file, the shortest if there are several: "module." (saved from DataParallel),
// "state_dict." or "params." (saved together with other values), or "". Also "" if the name is missing: reading the
// weights then reports what is missing.
std::string prefix_before(const TensorFile& file, std::string_view name);

}  // namespace sgf
