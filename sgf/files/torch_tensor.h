// Turns the call with which a pickle would rebuild a tensor into an entry that says where its elements lie.
#pragma once

#include "sgf/files/pickle_value.h"
#include "sgf/files/tensor_file.h"
#include "sgf/files/torch_storage.h"

#include <string>

namespace sgf {

// Whether this call returns a tensor in Python: torch._utils._rebuild_tensor_v2 and its variants.
bool is_torch_tensor(const PickleObject& object);

// Shape, strides, offset and extent, all checked against the storage's bytes. `source` starts every error message and
// names the tensor; `file_size` limits how far an expanded view may unfold.
TensorEntry read_torch_tensor(const PickleObject& object, const StorageLookup& find_storage, uint64_t file_size,
                              const std::string& source);

}  // namespace sgf
