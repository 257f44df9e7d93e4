#include "sgf/text/cached_prompt_encoder.h"

#include <ATen/ATen.h>

#include <map>

namespace sgf {

CachedPromptEncoder::CachedPromptEncoder(EmbeddingSource source, int64_t text_dim, EmbeddingCache cache,
                                         Factory make_encoder)
    : source_(std::move(source)),
      text_dim_(text_dim),
      cache_(std::move(cache)),
      make_encoder_(std::move(make_encoder)) {}

// An entry of another width was made by another program and is ignored.
std::optional<EncodedPrompt> CachedPromptEncoder::find(const std::string& cleaned) const {
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
