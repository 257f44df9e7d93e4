#include "sgf/weights/wan_folder.h"

#include "sgf/core/error.h"
#include "sgf/core/in_quotes.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

namespace sgf {
namespace {

using Path = std::filesystem::path;

constexpr size_t kShownNames = 12;

bool is_file(const Path& path) {
  std::error_code ignored;  // opening it later reports the reason
  return std::filesystem::is_regular_file(path, ignored);
}

bool is_folder_at(const Path& path) {
  std::error_code ignored;
  return std::filesystem::is_directory(path, ignored);
}

// The content of the folder, subfolders with a slash; a long list is cut.
std::string contents_of(const Path& folder) {
  std::error_code error;
  std::vector<std::string> names;
  for (std::filesystem::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    names.push_back(it->path().filename().string() + (is_folder_at(it->path()) ? "/" : ""));
  }
  if (error) return "files that cannot be listed: " + error.message();
  if (names.empty()) return "nothing";
  std::ranges::sort(names);
  const size_t total = names.size();
  names.resize(std::min(total, kShownNames));
  for (std::string& name : names) name = in_quotes(name);
  return fmt::format("{}{}", fmt::join(names, ", "), total > kShownNames ? ", ..." : "");
}

}  // namespace

WanFolder::WanFolder(Path folder) : folder_(std::move(folder)) {
  SGF_CHECK(is_folder_at(folder_),
            "{}: is not a folder, expected a Wan folder as made by `hf download Wan-AI/Wan2.1-T2V-1.3B`",
            folder_.string());
  SGF_CHECK(!is_file(folder_ / "model_index.json"),
            "{}: is a diffusers folder, which has other names for VAE and text encoder; download the original layout, "
            "Wan-AI/Wan2.1-T2V-1.3B without -Diffusers; it contains {}",
            folder_.string(), contents_of(folder_));
}

Path WanFolder::find(std::string_view part, const Path& name) const {
  if (is_file(folder_ / name)) return folder_ / name;
  fail("{}: has no {} for the {}; it contains {}", folder_.string(), name.string(), part, contents_of(folder_));
}

Path WanFolder::dit() const {
  const Path index = folder_ / "diffusion_pytorch_model.safetensors.index.json";
  return is_file(index) ? index : find("DiT", "diffusion_pytorch_model.safetensors");
}

Path WanFolder::text_encoder() const { return find("text encoder", "models_t5_umt5-xxl-enc-bf16.pth"); }

Path WanFolder::tokenizer() const {
  const Path name = Path("google") / "umt5-xxl" / "spiece.model", json = name.parent_path() / "tokenizer.json";
  SGF_CHECK(is_file(folder_ / name) || !is_file(folder_ / json),
            "{}: {} is not supported as tokenizer; download spiece.model from google/umt5-xxl on Hugging Face",
            folder_.string(), json.string());
  return find("tokenizer", name);
}

Path WanFolder::vae() const { return find("VAE", "Wan2.1_VAE.pth"); }

}  // namespace sgf
