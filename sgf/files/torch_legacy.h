// The format of torch.save before 1.6: five pickles in a row, then the storages.
#pragma once

#include "sgf/files/tensor_file.h"
#include "sgf/files/torch_archive.h"

#include <memory>

namespace sgf {

// Throws an Error that names the file and the reason.
TensorFile read_torch_legacy(std::shared_ptr<const MappedFile> file, TorchArchiveOptions options);

}  // namespace sgf
