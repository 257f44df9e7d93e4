// Guessing from its names which program wrote a weight file. Torch-free.
#pragma once

#include "sgf/files/tensor_file.h"
#include "sgf/weights/weight_names.h"

#include <string>
#include <vector>

namespace sgf {

// "official Wan", "Self-Forcing or Causal-Forcing training", "diffusers", "Wan VAE"...; "unknown". Wan's names alone
// make a file official only where the network has one of Wan's sizes.
std::string guess_writer(const TensorFile& file, const std::vector<DitWeightIndex>& dits);

}  // namespace sgf
