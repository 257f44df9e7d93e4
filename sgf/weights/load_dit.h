// The weights of a DiT out of a file.
#pragma once

#include "sgf/model/dit_weights.h"
#include "sgf/weights/weight_names.h"

namespace sgf {

// Copies onto `options` (dtype, device). Missing tensors and wrong shapes are refused, all of them named at once.
DitWeights load_dit_weights(const DitConfig& config, const TensorFile& file, const DitWeightIndex& index,
                            at::TensorOptions options);

}  // namespace sgf
