#include "sgf/model/weight_folder.h"

#include "sgf/core/error.h"
#include "sgf/core/tensor_file.h"

#include <algorithm>
#include <set>

namespace sgf {
namespace {

using Path = std::filesystem::path;

bool ends_in(const Path& path, std::string_view ending) { return path.filename().string().ends_with(ending); }

bool is_weight_file(const Path& path) {
  return ends_in(path, ".safetensors") || ends_in(path, ".pt") || ends_in(path, ".pth");
}

std::vector<Path> files_in(const Path& folder) {
  std::error_code error;
  std::vector<Path> files;
  for (std::filesystem::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    files.push_back(it->path());
  }
  check(!error, "model", "{}: cannot be listed: {}", folder.string(), error.message());
  std::ranges::sort(files);
  return files;
}

std::set<Path> shards_of(const Path& folder) {
  std::set<Path> shards;
  for (const auto& file : open_tensor_file(folder).files) shards.insert(file->path());
  return shards;
}

}  // namespace

std::vector<Path> list_weight_files(const Path& path) {
  std::error_code ignored;  // opening the path will say what is wrong with it
  if (!std::filesystem::is_directory(path, ignored)) return {path};
  const std::vector<Path> files = files_in(path);
  const bool has_index = std::ranges::any_of(files, [](const Path& file) { return ends_in(file, ".index.json"); });

  std::vector<Path> weights;
  if (has_index) weights.push_back(path);
  const std::set<Path> shards = has_index ? shards_of(path) : std::set<Path>{};
  std::ranges::copy_if(files, std::back_inserter(weights),
                       [&](const Path& file) { return is_weight_file(file) && !shards.contains(file); });
  check(!weights.empty(), "model", "{}: holds no *.safetensors, *.pt or *.pth", path.string());
  return weights;
}

Path find_dit_file(const Path& path) {
  std::error_code ignored;  // opening the path will say what is wrong with it
  const Path whole = path / "diffusion_pytorch_model.safetensors";
  const Path transformer = path / "transformer";
  if (std::filesystem::is_regular_file(whole, ignored)) return whole;
  if (std::filesystem::is_directory(transformer, ignored)) return find_dit_file(transformer);
  return path;
}

}  // namespace sgf
