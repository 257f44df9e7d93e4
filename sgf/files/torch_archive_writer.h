// Writes tensors as torch.save does: a state dict, or a dict of them, that torch.load(weights_only=True) can read.
#pragma once

#include "sgf/files/safetensors.h"

#include <filesystem>
#include <string>
#include <vector>

namespace sgf {

// Tensors are written in the given order and produced one at a time. Each has a storage of its own, so bytes that the
// source shared are written twice. An existing file is replaced only once the new one is complete and on disk.
void write_torch_archive(const std::filesystem::path& path, const std::vector<OutgoingTensor>& tensors);

// One state dict under an outer key, as training checkpoints have them: {"generator": {...}, "generator_ema": {...}}.
struct OutgoingDict {
  std::string key;
  std::vector<OutgoingTensor> tensors;
};
void write_torch_dicts(const std::filesystem::path& path, const std::vector<OutgoingDict>& dicts);

}  // namespace sgf
