// A prompt encoder behind a cache on disk. The inner encoder is created only when a prompt is not in the cache.
#pragma once

#include "sgf/text/embedding_cache.h"
#include "sgf/text/prompt_encoder.h"

#include <functional>
#include <memory>

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

  bool holds(const std::string& cleaned) const;
  // Whether the inner encoder has been created.
  bool was_opened() const { return encoder_ != nullptr; }

 private:
  std::optional<EncodedPrompt> find(const std::string& cleaned) const;
  std::vector<EncodedPrompt> encode_new(const std::vector<std::string>& cleaned) const;

  EmbeddingSource source_;
  int64_t text_dim_;
  EmbeddingCache cache_;
  Factory make_encoder_;
  mutable std::unique_ptr<PromptEncoder> encoder_;
};

}  // namespace sgf
