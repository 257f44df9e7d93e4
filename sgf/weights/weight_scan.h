// Scans every number of a weight file for NaN and infinity.
#pragma once

#include "sgf/files/tensor_file.h"

#include <cstdint>
#include <string>
#include <vector>

namespace sgf {

struct NonFinite {
  std::string name;
  int64_t nan = 0;
  int64_t infinite = 0;
};

// The tensors with such values, in file order. Reads the file piece by piece, whatever its size.
std::vector<NonFinite> scan_weights(const TensorFile& file);

}  // namespace sgf
