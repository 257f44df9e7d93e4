// Which files of a folder are weight files, and which of those contain the DiT. Torch-free.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace sgf {

// By the ending of its name.
bool is_weight_file(const std::filesystem::path& path);

// The weight files of a folder, each a path for open_tensor_file; shards with an index count as one, the folder. For a
// diffusers pipeline those of transformer/, vae/ and text_encoder/. A path that is not a folder is returned alone.
std::vector<std::filesystem::path> list_weight_files(const std::filesystem::path& path);

// The path to open for the DiT: in a Wan folder, which also has VAE and text encoder, the diffusion_pytorch_model; in a
// diffusers pipeline its transformer/. Any other path is returned unchanged.
std::filesystem::path find_dit_file(const std::filesystem::path& path);

// For "model-00001-of-00003.safetensors": a hint that it is one of several. "" for any other name, and for a folder.
std::string shard_hint(const std::filesystem::path& path);

}  // namespace sgf
