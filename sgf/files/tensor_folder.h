// A folder of weights, opened as if it were one file.
#pragma once

#include "sgf/files/tensor_file.h"

#include <filesystem>

namespace sgf {

// The shards that the folder's one *.index.json names, as Hugging Face writes them; without an index, its one
// *.safetensors, *.pt or *.pth. Throws Error that lists what is there if the choice is not clear.
TensorFile open_tensor_folder(const std::filesystem::path& folder);

// The shards that this one index names.
bool is_shard_index(const std::filesystem::path& path);
TensorFile open_shard_index(const std::filesystem::path& index);

}  // namespace sgf
