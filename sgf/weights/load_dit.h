// A DiT from a weight file.
#pragma once

#include "sgf/model/causal_dit.h"
#include "sgf/weights/weight_names.h"

#include <filesystem>

namespace sgf {

// Copies onto `options` (dtype, device). Missing tensors and wrong shapes are refused, all of them named at once.
DitWeights load_dit_weights(const DitConfig& config, const TensorFile& file, const DitWeightIndex& index,
                            at::TensorOptions options);

// The size of the network in a file, or in a Wan or diffusers folder: from the shapes of its tensors, and from its
// metadata or config.json where shapes do not tell.
DitConfig read_dit_config(const std::filesystem::path& path);

// The network itself, ready to call: `options` give the dtype and the device. An EMA is preferred where there is one.
CausalDit load_dit(const std::filesystem::path& path, at::TensorOptions options, DitOptions dit_options = {});

}  // namespace sgf
