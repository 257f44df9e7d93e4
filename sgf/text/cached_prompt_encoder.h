// A prompt encoder behind a cache on disk. The inner encoder is created only when a prompt is not in the cache.
#pragma once

#include "sgf/text/embedding_cache.h"
#include "sgf/text/prompt_encoder.h"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace sgf {

class CachedPromptEncoder final : public PromptEncoder {
 public:
  using Factory = std::function<std::unique_ptr<PromptEncoder>()>;

  // `source` and `text_dim` describe the encoder that `make_encoder` creates.
  CachedPromptEncoder(EmbeddingSource source, int64_t text_dim, EmbeddingCache cache, Factory make_encoder);

  int64_t text_len() const override { return source_.text_len; }
  int64_t text_dim() const override { return text_dim_; }
  // All uncached prompts of a call go through the encoder together. Embeddings are on the CPU.
  std::vector<EncodedPrompt> encode(const std::vector<std::string>& cleaned) const override;

  // Many prompts at a time, because a large encoder is read from its file on every call. Entries on disk are not read
  // here: one that turns out to be damaged is encoded again when it is needed. What the disk does not take stays in
  // memory, up to a limit.
  void encode_ahead(const std::vector<std::string>& cleaned, const PromptsSeen& seen) const override;

  bool holds(const std::string& cleaned) const;
  bool is_on_disk(const std::string& cleaned) const;  // by name; the content is not read
  // Whether the inner encoder exists: it has been created, and not freed by encode_ahead.
  bool was_opened() const { return encoder_ != nullptr; }

 private:
  std::optional<EncodedPrompt> find(const std::string& cleaned) const;
  bool is_stored(const std::string& cleaned) const;
  std::vector<EncodedPrompt> encode_new(const std::vector<std::string>& cleaned) const;
  void remember_unstored(const std::vector<std::string>& cleaned, std::vector<EncodedPrompt> encoded) const;

  EmbeddingSource source_;
  int64_t text_dim_;
  EmbeddingCache cache_;
  Factory make_encoder_;
  mutable std::unique_ptr<PromptEncoder> encoder_;
  mutable std::map<std::string, EncodedPrompt> memory_;  // encoded ahead, and not taken by the disk
};

}  // namespace sgf
