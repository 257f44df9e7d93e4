// Guesses from the tensor names which program wrote a weight file. Torch-free.
#pragma once

#include "sgf/files/tensor_file.h"
#include "sgf/weights/weight_names.h"

#include <string>
#include <vector>

namespace sgf {

// "official Wan", "Self-Forcing or Causal-Forcing training", "diffusers", "Wan VAE"...; "unknown". A file with Wan's
// names counts as official only if the network has one of Wan's sizes.
std::string guess_writer(const TensorFile& file, const std::vector<DitWeightIndex>& dits);

}  // namespace sgf
