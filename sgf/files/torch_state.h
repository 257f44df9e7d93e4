// Flattens the nested dicts and lists of a checkpoint into named tensors and metadata.
#pragma once

#include "sgf/files/pickle_value.h"
#include "sgf/files/tensor_file.h"
#include "sgf/files/torch_storage.h"

namespace sgf {

// Adds to `out`, whose one file contains the storages. Tensors become entries, numbers and text become metadata, each
// under its dotted path; of a long list of numbers or text only the length is kept. Refuses names that collide, paths
// deeper than 64, and pickles whose shared parts unfold to far more than their own size.
void flatten_torch_state(const Pickle& pickle, const StorageLookup& find_storage, TensorFile& out);

}  // namespace sgf
