#include "sgf/weights/weight_folder.h"

#include "sgf/core/error.h"
#include "sgf/files/path_kind.h"
#include "sgf/files/tensor_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace sgf {
namespace {

using Path = std::filesystem::path;

bool ends_in(const Path& path, std::string_view ending) { return path.filename().string().ends_with(ending); }

std::vector<Path> files_in(const Path& folder) {
  std::error_code error;
  std::vector<Path> files;
  for (std::filesystem::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    files.push_back(it->path());
  }
  SGF_CHECK(!error, "{}: cannot be listed: {}", folder.string(), error.message());
  std::ranges::sort(files);
  return files;
}

std::set<Path> shards_of(const Path& folder) {
  std::set<Path> shards;
  for (const auto& file : open_tensor_file(folder).files) shards.insert(file->path());
  return shards;
}

std::vector<Path> weights_in(const Path& path) {
  const std::vector<Path> files = files_in(path);
  const bool has_index = std::ranges::any_of(files, [](const Path& file) { return ends_in(file, ".index.json"); });

  std::vector<Path> weights;
  if (has_index) weights.push_back(path);
  const std::set<Path> shards = has_index ? shards_of(path) : std::set<Path>{};
  std::ranges::copy_if(files, std::back_inserter(weights),
                       [&](const Path& file) { return is_weight_file(file) && !shards.contains(file); });
  return weights;
}

// A diffusers pipeline has a subfolder for each of its networks.
std::vector<Path> weights_of_pipeline(const Path& path) {
  std::vector<Path> weights;
  for (const char* part : {"transformer", "transformer_2", "vae", "text_encoder", "image_encoder"}) {
    if (!is_folder(path / part)) continue;
    std::ranges::copy(weights_in(path / part), std::back_inserter(weights));
  }
  return weights;
}

bool is_number(std::string_view text) {
  return !text.empty() && text.size() <= 6 && text.find_first_not_of("0123456789") == std::string_view::npos;
}

// 3 for "model-00001-of-00003", 0 for any other name.
int64_t shard_count(const std::string& stem) {
  constexpr std::string_view kOf = "-of-";
  const size_t of = stem.rfind(kOf);
  if (of == std::string::npos || of == 0) return 0;
  const size_t dash = stem.rfind('-', of - 1);
  const std::string total = stem.substr(of + kOf.size());
  if (dash == std::string::npos || !is_number(stem.substr(dash + 1, of - dash - 1)) || !is_number(total)) return 0;
  return std::stoll(total);
}

}  // namespace

bool is_weight_file(const Path& path) {
  return ends_in(path, ".safetensors") || ends_in(path, ".pt") || ends_in(path, ".pth");
}

std::vector<Path> list_weight_files(const Path& path) {
  if (!is_folder(path)) return {path};
  std::vector<Path> weights = weights_in(path);
  if (weights.empty()) weights = weights_of_pipeline(path);
  SGF_CHECK(!weights.empty(), "{}: contains no *.safetensors, *.pt or *.pth", path.string());
  return weights;
}

std::string shard_hint(const Path& path) {
  const int64_t count = is_folder(path) ? 0 : shard_count(path.stem().string());
  if (count < 2) return "";
  return fmt::format("one shard of {}: the missing tensors are likely in the others; pass their folder instead", count);
}

Path find_dit_file(const Path& path) {
  std::error_code ignored;  // opening the path later reports the reason
  const Path whole = path / "diffusion_pytorch_model.safetensors";
  const Path transformer = path / "transformer";
  if (std::filesystem::is_regular_file(whole, ignored)) return whole;
  if (std::filesystem::is_directory(transformer, ignored)) return find_dit_file(transformer);
  return path;
}

}  // namespace sgf
