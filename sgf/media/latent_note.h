// The note inside a file of latents, read without torch.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace sgf {

// The metadata "note" of a LatentFile, finished or growing; nullopt if it has none or is not a latent file.
std::optional<std::string> read_latent_note(const std::filesystem::path& path);

}  // namespace sgf
