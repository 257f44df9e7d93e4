// Turns the call by which a pickle would rebuild a tensor into the entry that says where its elements lie.
#pragma once

#include "sgf/files/pickle_value.h"
#include "sgf/files/tensor_file.h"
#include "sgf/files/torch_storage.h"

#include <string>

namespace sgf {

// Whether Python would get a tensor from calling this: torch._utils._rebuild_tensor_v2 and its kin.
bool is_torch_tensor(const PickleObject& object);

// Shape, strides, offset and extent, all checked against the storage's bytes. `source` begins errors and names
// the tensor; `file_size` bounds what an expanded view may unfold to.
TensorEntry read_torch_tensor(const PickleObject& object, const StorageLookup& find_storage, uint64_t file_size,
                              const std::string& source);

}  // namespace sgf
