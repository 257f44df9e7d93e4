// A Wan folder as its users have it: where each part lies. Torch-free.
#pragma once

#include <filesystem>

namespace sgf {

class WanFolder {
 public:
  // A path that is no folder, and a folder of another layout, are Errors that say what is there.
  explicit WanFolder(std::filesystem::path folder);

  // What to open for each. A part that is missing is an Error that names it, the folder and what there is: many keep
  // the DiT alone, and need no more.
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
