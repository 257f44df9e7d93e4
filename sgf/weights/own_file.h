// What a file of tensors that this program wrote holds, in words. Torch-free.
#pragma once

#include "sgf/files/tensor_file.h"

#include <string>

namespace sgf {

// "exit record of a rollout, for sgf diagnose recovery --replay"; empty for files of other programs.
std::string describe_own_file(const TensorFile& file);

// Whether its tensors may be a network's: false for an optimiser's state, whose names are those of the weights.
bool may_hold_network(const TensorFile& file);

}  // namespace sgf
