// Identifies the content of a weight file cheaply, however large the file is. Torch-free.
#pragma once

#include "sgf/files/tensor_file.h"

#include <string>

namespace sgf {

// SHA-256 over every tensor's name, dtype, shape and bytes: all bytes of a small tensor, 16 samples of 256 bytes spread
// over a large one. Equal weights in another container give the same identity; the file's path and time do not matter.
// Training changes numbers everywhere, so other weights show in the samples; a single number edited by hand may not.
std::string weight_identity(const TensorFile& file);

}  // namespace sgf
