#include "sgf/text/cached_prompt_encoder.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace sgf {
namespace {

constexpr size_t kTogether = 64;        // prompts per call of the inner encoder
constexpr size_t kMostInMemory = 1024;  // of Wan's, up to 4 GiB in bfloat16

}  // namespace

CachedPromptEncoder::CachedPromptEncoder(EmbeddingSource source, int64_t text_dim, EmbeddingCache cache,
                                         Factory make_encoder)
    : source_(std::move(source)),
      text_dim_(text_dim),
      cache_(std::move(cache)),
      make_encoder_(std::move(make_encoder)) {}

// An entry of another width was made by another program and is ignored.
std::optional<EncodedPrompt> CachedPromptEncoder::find(const std::string& cleaned) const {
  if (const auto known = memory_.find(cleaned); known != memory_.end()) return known->second;
  std::optional<EncodedPrompt> found = cache_.find(embedding_key(source_, cleaned));
  if (found && (found->rows.size(1) != text_dim_ || found->rows.size(0) > source_.text_len)) return std::nullopt;
  return found;
}

bool CachedPromptEncoder::holds(const std::string& cleaned) const { return find(cleaned).has_value(); }

std::vector<EncodedPrompt> CachedPromptEncoder::encode_new(const std::vector<std::string>& cleaned) const {
  if (!encoder_) encoder_ = make_encoder_();
  std::vector<EncodedPrompt> encoded = encoder_->encode(cleaned);
  for (size_t i = 0; i < cleaned.size(); ++i) {
    encoded[i].rows = encoded[i].rows.cpu();
    cache_.keep(embedding_key(source_, cleaned[i]), cleaned[i], encoded[i]);
  }
  return encoded;
}

bool CachedPromptEncoder::is_on_disk(const std::string& cleaned) const {
  return cache_.has(embedding_key(source_, cleaned));
}

bool CachedPromptEncoder::is_stored(const std::string& cleaned) const {
  return memory_.contains(cleaned) || is_on_disk(cleaned);
}

void CachedPromptEncoder::remember_unstored(const std::vector<std::string>& cleaned,
                                            std::vector<EncodedPrompt> encoded) const {
  for (size_t i = 0; i < cleaned.size() && memory_.size() < kMostInMemory; ++i)
    if (!is_stored(cleaned[i])) memory_.emplace(cleaned[i], std::move(encoded[i]));
}

void CachedPromptEncoder::encode_ahead(const std::vector<std::string>& cleaned, const PromptsSeen& seen) const {
  std::set<std::string> met;
  std::vector<std::string> fresh;
  for (const std::string& prompt : cleaned)
    if (met.insert(prompt).second && !is_stored(prompt)) fresh.push_back(prompt);
  for (size_t done = 0; done < fresh.size();) {
    if (seen) seen(static_cast<int64_t>(done), static_cast<int64_t>(fresh.size()));
    const size_t end = std::min(done + kTogether, fresh.size());
    const std::vector<std::string> part(fresh.begin() + static_cast<std::ptrdiff_t>(done),
                                        fresh.begin() + static_cast<std::ptrdiff_t>(end));
    remember_unstored(part, encode_new(part));
    done = end;
  }
  if (seen && !fresh.empty()) seen(static_cast<int64_t>(fresh.size()), static_cast<int64_t>(fresh.size()));
  encoder_.reset();
}

std::vector<EncodedPrompt> CachedPromptEncoder::encode(const std::vector<std::string>& cleaned) const {
  std::map<std::string, EncodedPrompt> known;  // a repeated prompt is encoded once
  std::vector<std::string> fresh;
  for (const std::string& prompt : cleaned) {
    if (known.contains(prompt)) continue;
    std::optional<EncodedPrompt> found = find(prompt);
    if (!found) fresh.push_back(prompt);
    known[prompt] = found.value_or(EncodedPrompt{});
  }
  const std::vector<EncodedPrompt> encoded = fresh.empty() ? std::vector<EncodedPrompt>{} : encode_new(fresh);
  for (size_t i = 0; i < fresh.size(); ++i) known[fresh[i]] = encoded[i];
  std::vector<EncodedPrompt> all;
  for (const std::string& prompt : cleaned) all.push_back(known.at(prompt));
  return all;
}

}  // namespace sgf
