#include "sgf/text/embedding_cache.h"

#include "sgf/core/error.h"
#include "sgf/files/atomic_file.h"
#include "sgf/files/path_kind.h"
#include "sgf/files/sha256.h"
#include "sgf/files/tensors.h"
#include "sgf/files/writable_folder.h"

#include <ATen/ATen.h>
#include <fmt/format.h>

#include <charconv>
#include <cstdlib>

namespace sgf {
namespace {

constexpr const char* kRows = "rows";
constexpr const char* kKindKey = "sgf.kind";
constexpr const char* kKind = "prompt embedding";

std::string hash_of(const at::Tensor& rows) {
  const at::Tensor dense = rows.detach().cpu().contiguous();
  Sha256 hash;
  hash.update(std::span(static_cast<const std::byte*>(dense.const_data_ptr()), dense.nbytes()));
  return hash.hex();
}

const std::string& value_of(const TensorFile& file, const std::string& name) {
  const auto found = file.metadata.find(name);
  SGF_CHECK(found != file.metadata.end(), "has no `{}`", name);
  return found->second;
}

int64_t count_from(const std::string& text) {
  int64_t count = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  SGF_CHECK(error == std::errc() && end == text.data() + text.size() && count >= 0, "`cut` is '{}'", text);
  return count;
}

EncodedPrompt read_entry(const std::filesystem::path& path, const std::string& key) {
  const TensorFile file = open_tensor_file(path);
  SGF_CHECK(value_of(file, "key") == key, "belongs to another key");
  EncodedPrompt encoded{.rows = map_tensor(file, kRows).clone(), .cut = count_from(value_of(file, "cut"))};
  SGF_CHECK(encoded.rows.dim() == 2 && encoded.rows.is_floating_point(), "contains no embedding");
  SGF_CHECK(hash_of(encoded.rows) == value_of(file, "sha256"), "its embedding is damaged");
  return encoded;
}

}  // namespace

std::string embedding_key(const EmbeddingSource& source, const std::string& cleaned) {
  return sha256_of(fmt::format("{}\n{}\n{}\n{}\n{}\n{}", source.encoder, source.tokenizer, source.text_len,
                               source.dtype, source.device, cleaned));
}

std::filesystem::path default_embedding_folder() {
  const char* cache = std::getenv("XDG_CACHE_HOME");
  if (cache != nullptr && *cache == '/') return std::filesystem::path(cache) / "sgf" / "prompts";
  const char* home = std::getenv("HOME");
  SGF_CHECK(home != nullptr && *home != '\0', "no folder for prompt embeddings: set XDG_CACHE_HOME or HOME");
  return std::filesystem::path(home) / ".cache" / "sgf" / "prompts";
}

EmbeddingCache::EmbeddingCache(std::filesystem::path folder, SayWarning warn, Use use)
    : folder_(std::move(folder)), warn_(std::move(warn)), use_(use) {}

std::filesystem::path EmbeddingCache::path_of(const std::string& key) const { return folder_ / (key + ".safetensors"); }

void EmbeddingCache::say(const std::string& what) const {
  if (warn_) warn_(what);
}

bool EmbeddingCache::has(const std::string& key) const { return is_there(path_of(key)); }

std::optional<EncodedPrompt> EmbeddingCache::find(const std::string& key) const {
  const std::filesystem::path path = path_of(key);
  if (!has(key)) return std::nullopt;
  try {
    return read_entry(path, key);
  } catch (const Error& error) {
    say(fmt::format("{}: this cached prompt embedding cannot be used and is computed again: {}", path.string(),
                    error.what()));
    return std::nullopt;
  }
}

void EmbeddingCache::keep(const std::string& key, const std::string& prompt, const EncodedPrompt& encoded) const {
  if (use_ == Use::kReadOnly) return;
  try {
    create_folder(folder_);
    sweep_half_written(folder_, [&](const std::string& name) { return name == path_of(key).filename().string(); });
    save_tensors(path_of(key), {{kRows, encoded.rows}},
                 {{kKindKey, kKind},
                  {"key", key},
                  {"prompt", prompt},
                  {"cut", std::to_string(encoded.cut)},
                  {"sha256", hash_of(encoded.rows)}});
  } catch (const Error& error) {
    say(fmt::format("{}: this prompt's embedding could not be stored and will be computed again: {}", folder_.string(),
                    error.what()));
  }
}

}  // namespace sgf
