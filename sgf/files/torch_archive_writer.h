// Writes tensors as torch.save would: a flat state dict that torch.load(weights_only=True) reads.
#pragma once

#include "sgf/files/safetensors.h"

#include <filesystem>
#include <vector>

namespace sgf {

// Tensors come in the order given and are produced one at a time. Each has a storage of its own: what shared bytes
// in the source is written twice. An earlier file is replaced only once the new one is complete and on disk.
void write_torch_archive(const std::filesystem::path& path, const std::vector<OutgoingTensor>& tensors);

}  // namespace sgf
