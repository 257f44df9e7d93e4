// A folder of weights, opened as if it were one file.
#pragma once

#include "sgf/files/tensor_file.h"

#include <filesystem>

namespace sgf {

// The shards that the folder's *.index.json names, as Hugging Face writes them; without an index, its one
// *.safetensors, *.pt or *.pth. If the choice is not clear, throws an Error that lists the candidates.
TensorFile open_tensor_folder(const std::filesystem::path& folder);

// The shards that one index file names.
bool is_shard_index(const std::filesystem::path& path);
TensorFile open_shard_index(const std::filesystem::path& index);

}  // namespace sgf
