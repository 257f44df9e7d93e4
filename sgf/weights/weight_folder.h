// Which of a folder's files hold weights, and which of those the DiT. Torch-free.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace sgf {

// The weight files of a folder, each a path for open_tensor_file: shards with an index count as one, the folder. Of a
// diffusers pipeline those of transformer/, vae/, text_encoder/. A path that is no folder comes back alone.
std::vector<std::filesystem::path> list_weight_files(const std::filesystem::path& path);

// What to open for the DiT: in a Wan folder, which holds VAE and text encoder too, the diffusion_pytorch_model; in
// a diffusers pipeline its transformer/. Any other path comes back as it is.
std::filesystem::path find_dit_file(const std::filesystem::path& path);

// For "model-00001-of-00003.safetensors": that it is one of several. "" for any other name, and for a folder.
std::string shard_hint(const std::filesystem::path& path);

}  // namespace sgf
