// Choosing the files of a folder and joining shards into one index.
#include "sgf/files/tensor_folder.h"

#include "sgf/core/error.h"
#include "sgf/core/in_quotes.h"
#include "sgf/files/strict_json.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>
#include <set>

namespace sgf {
namespace {

using Path = std::filesystem::path;

std::vector<std::string> names_in(const Path& folder) {
  std::error_code error;
  std::vector<std::string> names;
  for (std::filesystem::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    names.push_back(it->path().filename().string());
  }
  SGF_CHECK(!error, "{}: cannot be listed: {}", folder.string(), error.message());
  std::ranges::sort(names);
  return names;
}

std::vector<std::string> ending_in(const std::vector<std::string>& names, std::vector<std::string_view> endings) {
  std::vector<std::string> chosen;
  std::ranges::copy_if(names, std::back_inserter(chosen), [&](const std::string& name) {
    return std::ranges::any_of(endings, [&](std::string_view ending) { return name.ends_with(ending); });
  });
  return chosen;
}

// The first dozen names, enough to show what kind of folder it is.
std::string listing(const std::vector<std::string>& names) {
  const size_t shown = std::min<size_t>(names.size(), 12);
  const std::string text = fmt::format("{}", fmt::join(names.begin(), names.begin() + static_cast<long>(shown), ", "));
  return shown < names.size() ? fmt::format("{} and {} more", text, names.size() - shown) : text;
}

// Tensor name -> shard name.
std::map<std::string, std::string> read_weight_map(const Path& index) {
  const auto file = MappedFile::open(index);
  const std::string source = index.string();
  const nlohmann::json root = parse_strict_json(file->text(), source, {.depth = 8, .array_length = 1024});
  SGF_CHECK(root.is_object() && root.contains("weight_map") && root["weight_map"].is_object(), "{}: has no weight_map",
            source);

  std::map<std::string, std::string> shards;
  for (const auto& [name, shard] : root["weight_map"].items()) {
    SGF_CHECK(shard.is_string(), "{}: the shard of {} is not a file name", source, in_quotes(name));
    shards[name] = shard.get<std::string>();
  }
  SGF_CHECK(!shards.empty(), "{}: its weight_map is empty", source);
  return shards;
}

// A shard lies beside its index; a name that leads elsewhere is refused.
Path shard_path(const Path& index, const std::string& shard) {
  const bool is_plain = !shard.empty() && shard != "." && shard != ".." && Path(shard).filename() == Path(shard) &&
                        shard.find('\0') == std::string::npos;
  SGF_CHECK(is_plain, "{}: {} is not the name of a file beside it", index.string(), in_quotes(shard));
  return index.parent_path() / shard;
}

// A download that was interrupted lacks whole shards.
void check_shards_are_there(const Path& index, const std::set<std::string>& shards) {
  std::vector<std::string> missing;
  for (const std::string& name : shards) {
    std::error_code ignored;  // what cannot be queried is refused when it is opened
    const std::filesystem::file_status status = std::filesystem::status(shard_path(index, name), ignored);
    if (status.type() == std::filesystem::file_type::not_found) missing.push_back(name);
  }
  SGF_CHECK(missing.empty(), "{}: {} of its {} shards {} missing: {}; repeat the download", index.string(),
            missing.size(), shards.size(), missing.size() == 1 ? "is" : "are", listing(missing));
}

void append_shard(TensorFile& whole, const TensorFile& shard) {
  for (TensorEntry entry : shard.entries) {
    entry.file += whole.files.size() - shard.files.size();
    whole.add(std::move(entry));
  }
  for (const auto& [key, value] : shard.metadata) whole.metadata.emplace(key, value);
}

}  // namespace

bool is_shard_index(const Path& path) { return path.filename().string().ends_with(".index.json"); }

TensorFile open_shard_index(const Path& index) {
  const auto weight_map = read_weight_map(index);
  std::set<std::string> shards;
  for (const auto& [name, shard] : weight_map) shards.insert(shard);

  check_shards_are_there(index, shards);

  TensorFile whole;
  whole.shards = shards.size();
  std::map<std::string, size_t> file_of;
  for (const std::string& name : shards) {
    const TensorFile shard = read_tensor_file(MappedFile::open(shard_path(index, name)));
    file_of[name] = whole.files.size();
    whole.files.insert(whole.files.end(), shard.files.begin(), shard.files.end());
    append_shard(whole, shard);
    whole.container = shard.container;
  }
  for (const auto& [name, shard] : weight_map) {
    const TensorEntry* entry = whole.find(name);
    SGF_CHECK(entry && entry->file == file_of[shard], "{}: says that {} holds {}, but it does not", index.string(),
              in_quotes(shard), in_quotes(name));
  }
  for (const TensorEntry& entry : whole.entries)
    if (!weight_map.contains(entry.name)) whole.unindexed.push_back(entry.name);
  return whole;
}

TensorFile open_tensor_folder(const std::filesystem::path& folder) {
  const std::vector<std::string> names = names_in(folder);
  const std::vector<std::string> indices = ending_in(names, {".index.json"});
  SGF_CHECK(indices.size() <= 1, "{}: contains several index files; pass one of them: {}", folder.string(),
            listing(indices));
  if (!indices.empty()) return open_shard_index(folder / indices.front());

  const std::vector<std::string> weights = ending_in(names, {".safetensors", ".pt", ".pth"});
  SGF_CHECK(!weights.empty(), "{}: contains no *.safetensors, *.pt or *.pth; {}", folder.string(),
            names.empty() ? "the folder is empty" : "it contains " + listing(names));
  SGF_CHECK(weights.size() == 1, "{}: contains several weight files; pass one of them: {}", folder.string(),
            listing(weights));
  return read_tensor_file(MappedFile::open(folder / weights.front()));
}

}  // namespace sgf
