// A name for the content of a weight file that is cheap to compute, however large the file. Torch-free.
#pragma once

#include "sgf/files/tensor_file.h"

#include <string>

namespace sgf {

// SHA-256 over every tensor's name, dtype and shape, and over its bytes: all of a small tensor's, 16 samples of 256
// bytes spread over a large one's. Equal for equal weights in another container; neither the path nor the time of the
// file counts. Training moves numbers everywhere, so other weights show in the samples; a single number changed by
// hand need not.
std::string weight_identity(const TensorFile& file);

}  // namespace sgf
