// A Wan folder as its users have it, in the official or in diffusers' layout: the location of each part. Torch-free.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace sgf {

class WanFolder {
 public:
  // Throws an Error that says what is there if the path is not a folder, or a diffusers pipeline of another model.
  explicit WanFolder(std::filesystem::path folder);

  // The path to open for each part. A missing part is an Error that names it, the folder and its content: many users
  // have only the DiT and need no more. In diffusers' layout the parts are in transformer/, text_encoder/, tokenizer/
  // and vae/, under other tensor names, which the readers know.
  std::filesystem::path dit() const;           // diffusion_pytorch_model*.safetensors; for shards, their index
  std::filesystem::path text_encoder() const;  // models_t5_umt5-xxl-enc-bf16.pth or .safetensors, or text_encoder/
  std::filesystem::path tokenizer() const;     // google/umt5-xxl/spiece.model
  std::filesystem::path vae() const;           // Wan2.1_VAE.pth

  const std::filesystem::path& path() const { return folder_; }
  bool is_diffusers() const { return is_diffusers_; }

 private:
  std::filesystem::path find(std::string_view part, const std::filesystem::path& name) const;
  std::filesystem::path find_weights(std::string_view part, const std::filesystem::path& stem) const;

  std::filesystem::path folder_;
  bool is_diffusers_ = false;
};

}  // namespace sgf
