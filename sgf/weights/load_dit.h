// Loads a DiT from a weight file.
#pragma once

#include "sgf/model/causal_dit.h"
#include "sgf/weights/weight_names.h"

#include <filesystem>

namespace sgf {

class LoraSum;  // sgf/weights/merge_lora.h

// Throws an Error that lists all missing tensors and wrong shapes.
void check_dit_weights(const DitConfig& config, const TensorFile& file, const DitWeightIndex& index);

// Copies onto `options` (dtype, device). Throws an Error that lists all missing tensors and wrong shapes.
DitWeights load_dit_weights(const DitConfig& config, const TensorFile& file, const DitWeightIndex& index,
                            at::TensorOptions options);

// The same with `loras` merged, in the file's own dtype.
DitWeights load_dit_weights(const DitConfig& config, const TensorFile& file, const DitWeightIndex& index,
                            at::TensorOptions options, const LoraSum& loras);

// The size of the network in a file, or in a Wan or diffusers folder: from the shapes of its tensors, and from its
// metadata or config.json where shapes are ambiguous.
DitConfig read_dit_config(const std::filesystem::path& path);

// The network, ready to call; `options` gives the dtype and the device. The EMA is preferred if the file has one.
CausalDit load_dit(const std::filesystem::path& path, at::TensorOptions options, DitOptions dit_options = {});

}  // namespace sgf
