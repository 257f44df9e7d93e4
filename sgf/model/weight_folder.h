// Which of a folder's files hold weights, and which of those the DiT. Torch-free.
#pragma once

#include <filesystem>
#include <vector>

namespace sgf {

// The weight files of a folder, each a path for open_tensor_file: shards with an index count as one, the folder.
// A path that is no folder comes back alone.
std::vector<std::filesystem::path> list_weight_files(const std::filesystem::path& path);

// What to open for the DiT: in a Wan folder, which holds VAE and text encoder too, the diffusion_pytorch_model; in
// a diffusers pipeline its transformer/. Any other path comes back as it is.
std::filesystem::path find_dit_file(const std::filesystem::path& path);

}  // namespace sgf
