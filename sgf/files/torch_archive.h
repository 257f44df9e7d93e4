// Reads what torch.save wrote, both as the zip archive of torch 1.6 and later and as the run of pickles before
// it, without executing any of it.
#pragma once

#include "sgf/files/tensor_file.h"

#include <cstddef>
#include <memory>
#include <span>

namespace sgf {

struct TorchArchiveOptions {
  // TorchScript archives keep their modules as instances of classes `__torch__.*`. With this their attributes
  // are read as if they were dicts; their code is ignored.
  bool torchscript = false;
};

// A zip, a pickle or a tar by its first bytes; the last one only to be refused by its name.
bool looks_like_torch_archive(std::span<const std::byte> bytes);

// Tensors under the dotted path of dict keys and list positions that leads to them (a lone tensor is called
// "tensor"), numbers and text in `metadata`. Throws Error that names the file and the reason.
TensorFile read_torch_archive(std::shared_ptr<const MappedFile> file, TorchArchiveOptions options = {});

}  // namespace sgf
