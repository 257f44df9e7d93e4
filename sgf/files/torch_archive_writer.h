// Writes tensors as torch.save does: a flat state dict that torch.load(weights_only=True) can read.
#pragma once

#include "sgf/files/safetensors.h"

#include <filesystem>
#include <vector>

namespace sgf {

// Tensors are written in the given order and produced one at a time. Each has a storage of its own, so bytes that the
// source shared are written twice. An existing file is replaced only once the new one is complete and on disk.
void write_torch_archive(const std::filesystem::path& path, const std::vector<OutgoingTensor>& tensors);

}  // namespace sgf
