// A Wan folder as its users have it: the location of each part. Torch-free.
#pragma once

#include <filesystem>

namespace sgf {

class WanFolder {
 public:
  // Throws an Error that says what is there if the path is not a folder or has another layout.
  explicit WanFolder(std::filesystem::path folder);

  // The path to open for each part. A missing part is an Error that names it, the folder and its content: many users
  // have only the DiT and need no more.
  std::filesystem::path dit() const;           // diffusion_pytorch_model*.safetensors; for shards, their index
  std::filesystem::path text_encoder() const;  // models_t5_umt5-xxl-enc-bf16.pth
  std::filesystem::path tokenizer() const;     // google/umt5-xxl/spiece.model
  std::filesystem::path vae() const;           // Wan2.1_VAE.pth

  const std::filesystem::path& path() const { return folder_; }

 private:
  std::filesystem::path find(std::string_view part, const std::filesystem::path& name) const;

  std::filesystem::path folder_;
};

}  // namespace sgf
