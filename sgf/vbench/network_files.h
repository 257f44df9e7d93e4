// Where in a user's file the weights of a network lie.
#pragma once

#include "sgf/files/tensor_file.h"

#include <string>
#include <string_view>

namespace sgf {

// What stands before `name` in the file, the shortest where there are several: "module." (saved from DataParallel),
// "state_dict." or "params." (saved beside other things), or nothing. Nothing too where the name is not there: asking
// for the weights then says which are missing.
std::string prefix_before(const TensorFile& file, std::string_view name);

}  // namespace sgf
