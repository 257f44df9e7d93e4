#include "sgf/files/checkpoint_hashes.h"

#include "sgf/core/error.h"
#include "sgf/core/in_quotes.h"
#include "sgf/files/safetensors.h"
#include "sgf/files/strict_json.h"
#include "sgf/files/tensor_hash.h"

#include <fmt/ranges.h>
#include <sys/stat.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <mutex>
#include <set>

namespace sgf {
namespace {

using HashMetadata = std::map<std::string, std::string>;

// The lengths separate the texts, so that two different lists never hash alike.
std::string hash_header(const HashMetadata& metadata, std::vector<std::string> descriptions) {
  std::ranges::sort(descriptions);
  TensorHash hash;
  for (const auto& [key, value] : metadata)
    if (key != kHeaderHashKey) hash.update(fmt::format("{} {} {} {}\n", key.size(), key, value.size(), value));
  for (const std::string& line : descriptions) hash.update(line);
  return hash.hex();
}

std::string value_in(const HashMetadata& metadata, const char* key) {
  const auto found = metadata.find(key);
  return found == metadata.end() ? "nothing" : found->second;
}

nlohmann::json hashes_in(const TensorFile& file) {
  return parse_strict_json(value_in(file.metadata, kTensorHashesKey), kTensorHashesKey,
                           {.depth = 1, .array_length = 0});
}

std::string compare_tensor_hashes(const TensorFile& file) {
  const nlohmann::json hashes = hashes_in(file);
  for (const TensorEntry& entry : file.entries) {
    const std::string found = tensor_hash_of(file.bytes(entry));
    const nlohmann::json said = hashes.is_object() ? hashes.value(entry.name, nlohmann::json()) : nlohmann::json();
    if (said != found)
      return fmt::format("tensor {} is damaged: its hash is {}, the file says {}", in_quotes(entry.name), found,
                         said.is_string() ? in_quotes(said.get<std::string>()) : "nothing");
  }
  return "";
}

// Identifies the file's current state; empty if it is not on a disk.
std::string stamp_of_file(const std::filesystem::path& path) {
  struct stat s = {};
  if (::stat(path.c_str(), &s) != 0) return "";
  return fmt::format("{} {} {} {} {}.{} {}.{}", path.string(), s.st_dev, s.st_ino, s.st_size, s.st_mtim.tv_sec,
                     s.st_mtim.tv_nsec, s.st_ctim.tv_sec, s.st_ctim.tv_nsec);
}

std::string hash_of_content(const std::shared_ptr<const MappedFile>& mapped) {
  if (is_safetensors(mapped->bytes())) {
    const TensorFile file = read_safetensors(mapped);
    if (has_hashes(file)) return value_in(file.metadata, kHeaderHashKey);
  }
  return tensor_hash_of(mapped->bytes());
}

// Files whose tensors were found intact. Commands open the same weights several times, and 28 GB take seconds to read.
class SoundFiles {
 public:
  bool contains(const std::string& stamp) {
    const std::lock_guard lock(mutex_);
    return stamps_.contains(stamp);
  }
  void add(const std::string& stamp) {
    const std::lock_guard lock(mutex_);
    if (!stamp.empty()) stamps_.insert(stamp);
  }

 private:
  std::mutex mutex_;
  std::set<std::string> stamps_;
};

SoundFiles& sound_files() {
  static SoundFiles files;
  return files;
}

}  // namespace

std::string describe_for_hash(std::string_view name, DType dtype, std::span<const int64_t> shape) {
  return fmt::format("{} {} {} [{}]\n", name.size(), name, name_of(dtype), fmt::join(shape, ","));
}

void remove_hashes(HashMetadata& metadata) {
  metadata.erase(kTensorHashesKey);
  metadata.erase(kHeaderHashKey);
}

void set_hashes(HashMetadata& metadata, std::vector<std::string> descriptions, const HashMetadata& tensor_hashes) {
  metadata[kTensorHashesKey] =
      nlohmann::json(tensor_hashes).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  metadata[kHeaderHashKey] = hash_header(metadata, std::move(descriptions));
}

bool has_hashes(const TensorFile& file) {
  return file.metadata.contains(kTensorHashesKey) || file.metadata.contains(kHeaderHashKey);
}

std::string find_header_damage(const TensorFile& file) {
  if (!has_hashes(file)) return "";
  std::vector<std::string> descriptions;
  for (const TensorEntry& entry : file.entries)
    descriptions.push_back(describe_for_hash(entry.name, entry.dtype, entry.shape));
  const std::string found = hash_header(file.metadata, std::move(descriptions));
  const std::string said = value_in(file.metadata, kHeaderHashKey);
  return found == said ? ""
                       : fmt::format("its header is damaged: its hash is {}, the file says {}", found, in_quotes(said));
}

std::string find_tensor_damage(const TensorFile& file) {
  if (!has_hashes(file)) return "";
  const std::string stamp = stamp_of_file(file.files.front()->path());
  if (sound_files().contains(stamp)) return "";
  std::string damage = compare_tensor_hashes(file);
  if (damage.empty()) sound_files().add(stamp);
  return damage;
}

void check_hashes(const TensorFile& file, const std::filesystem::path& path, HashCheck which, std::string_view advice) {
  std::string damage = find_header_damage(file);
  if (damage.empty() && which == HashCheck::kAll) damage = find_tensor_damage(file);
  SGF_CHECK(damage.empty(), "{}: {}; {}", path.string(), damage, advice);
}

std::string content_hash(const std::filesystem::path& path) { return hash_of_content(MappedFile::open(path)); }

std::string find_changed_content(const std::filesystem::path& path, const std::string& expected) {
  if (!std::filesystem::exists(path)) return "is missing";
  const std::shared_ptr<const MappedFile> mapped = MappedFile::open(path);
  try {
    const std::string found = hash_of_content(mapped);
    if (found != expected) return fmt::format("its hash is {}, {} was saved", in_quotes(found), in_quotes(expected));
    if (!is_safetensors(mapped->bytes())) return "";
    const TensorFile file = read_safetensors(mapped);
    const std::string damage = find_header_damage(file);
    return damage.empty() ? find_tensor_damage(file) : damage;
  } catch (const Error& error) {
    return error.what();
  }
}

}  // namespace sgf
