// Reads files written by torch.save, both the zip archive of torch 1.6 and later and the series of pickles before it,
// without executing any of it.
#pragma once

#include "sgf/files/tensor_file.h"

#include <cstddef>
#include <memory>
#include <span>

namespace sgf {

struct TorchArchiveOptions {
  // TorchScript archives store their modules as instances of classes `__torch__.*`. With this option their attributes
  // are read like dicts; their code is ignored.
  bool torchscript = false;
};

// A zip, a pickle or a tar by its first bytes. A tar is recognised only to be refused by name.
bool looks_like_torch_archive(std::span<const std::byte> bytes);

// Each tensor is named by the dotted path of dict keys and list positions that leads to it (a single tensor is called
// "tensor"). Numbers and text go to `metadata`. Throws an Error that names the file and the reason.
TensorFile read_torch_archive(std::shared_ptr<const MappedFile> file, TorchArchiveOptions options = {});

}  // namespace sgf
