#include "sgf/weights/wan_folder.h"

#include "sgf/core/error.h"
#include "sgf/core/in_quotes.h"
#include "sgf/files/json_file.h"
#include "sgf/files/path_kind.h"

#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <vector>

namespace sgf {
namespace {

using Path = std::filesystem::path;

constexpr size_t kShownNames = 12;

// The content of the folder, subfolders with a slash; a long list is cut.
std::string contents_of(const Path& folder) {
  std::error_code error;
  std::vector<std::string> names;
  for (std::filesystem::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    names.push_back(it->path().filename().string() + (is_folder(it->path()) ? "/" : ""));
  }
  if (error) return "the folder cannot be listed: " + error.message();
  if (names.empty()) return "the folder is empty";
  std::ranges::sort(names);
  const size_t total = names.size();
  names.resize(std::min(total, kShownNames));
  for (std::string& name : names) name = in_quotes(name);
  return fmt::format("it contains {}{}", fmt::join(names, ", "), total > kShownNames ? ", ..." : "");
}

// diffusers' pipelines of one text-to-video network with Wan2.1's parts.
void check_pipeline(const Path& index) {
  const nlohmann::json root = read_json_file(index);
  SGF_CHECK(root.is_object(), "{}: must be a JSON object", index.string());
  const nlohmann::json name = root.value("_class_name", nlohmann::json());
  SGF_CHECK(name == "WanPipeline" || name == "WanDMDPipeline",
            "{}: is the pipeline {}, expected WanPipeline, as made by `hf download Wan-AI/Wan2.1-T2V-1.3B-Diffusers`",
            index.string(), in_quotes(name.dump()));
  const nlohmann::json second = root.value("transformer_2", nlohmann::json());
  const bool has_second = second.is_array() && !second.empty() && !second.front().is_null();
  SGF_CHECK(!has_second, "{}: has two transformers, as Wan2.2; expected a pipeline of Wan2.1 with one", index.string());
}

Path json_beside(const Path& spiece) { return spiece.parent_path() / "tokenizer.json"; }

}  // namespace

WanFolder::WanFolder(Path folder) : folder_(std::move(folder)) {
  SGF_CHECK(is_folder(folder_),
            "{}: is not a folder, expected a Wan folder as made by `hf download Wan-AI/Wan2.1-T2V-1.3B`",
            folder_.string());
  is_diffusers_ = is_file(folder_ / "model_index.json");
  if (is_diffusers_) check_pipeline(folder_ / "model_index.json");
}

Path WanFolder::find(std::string_view part, const Path& name) const {
  if (is_file(folder_ / name)) return folder_ / name;
  fail("{}: has no {} for the {}; {}", folder_.string(), name.string(), part, contents_of(folder_));
}

// `stem` with .safetensors, or the index of its shards.
Path WanFolder::find_weights(std::string_view part, const Path& stem) const {
  const Path index = folder_ / (stem.string() + ".safetensors.index.json");
  return is_file(index) ? index : find(part, stem.string() + ".safetensors");
}

Path WanFolder::dit() const {
  return find_weights("DiT", is_diffusers_ ? "transformer/diffusion_pytorch_model" : "diffusion_pytorch_model");
}

Path WanFolder::text_encoder() const {
  const Path official = "models_t5_umt5-xxl-enc-bf16.pth", other = "models_t5_umt5-xxl-enc-bf16.safetensors";
  if (is_diffusers_ || (!is_file(folder_ / official) && is_folder(folder_ / "text_encoder")))
    return find_weights("text encoder", "text_encoder/model");
  return is_file(folder_ / other) && !is_file(folder_ / official) ? folder_ / other : find("text encoder", official);
}

Path WanFolder::tokenizer() const {
  const Path name = is_diffusers_ ? Path("tokenizer/spiece.model") : Path("google/umt5-xxl/spiece.model");
  SGF_CHECK(is_file(folder_ / name) || !is_file(json_beside(folder_ / name)),
            "{}: {} is not supported as tokenizer; download spiece.model from google/umt5-xxl on Hugging Face",
            folder_.string(), json_beside(name).string());
  return find("tokenizer", name);
}

Path WanFolder::vae() const {
  return is_diffusers_ ? find_weights("VAE", "vae/diffusion_pytorch_model") : find("VAE", "Wan2.1_VAE.pth");
}

}  // namespace sgf
