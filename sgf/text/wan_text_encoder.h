// Wan's text encoder behind the TextEncoder interface: prompts in, embeddings padded with zeros out.
#pragma once

#include "sgf/text/embedding_cache.h"
#include "sgf/text/prompt_encoder.h"
#include "sgf/text/text_encoder.h"
#include "sgf/text/tokenizer.h"
#include "sgf/text/umt5_encoder.h"

#include <filesystem>
#include <memory>
#include <optional>

namespace sgf {

class Umt5PromptEncoder final : public PromptEncoder {
 public:
  // Throws Error if the tokenizer has more pieces than the encoder has embeddings.
  Umt5PromptEncoder(Tokenizer tokenizer, Umt5Encoder encoder, int64_t text_len);

  int64_t text_len() const override { return text_len_; }
  int64_t text_dim() const override { return encoder_.config().dim; }
  std::vector<EncodedPrompt> encode(const std::vector<std::string>& cleaned) const override;

 private:
  Tokenizer tokenizer_;
  Umt5Encoder encoder_;
  int64_t text_len_;
};

// Cleans, encodes and pads. Wan's network attends to all `text_len` rows, including the zeros.
class WanTextEncoder final : public TextEncoder {
 public:
  WanTextEncoder(std::unique_ptr<PromptEncoder> encoder, at::TensorOptions options, SayWarning warn = {});

  int64_t text_len() const override { return encoder_->text_len(); }
  int64_t text_dim() const override { return encoder_->text_dim(); }
  // Warns if a prompt was cut, and by how much.
  at::Tensor encode(const std::vector<std::string>& prompts) const override;
  void encode_ahead(const std::vector<std::string>& prompts, const PromptsSeen& seen) const override;

 private:
  std::unique_ptr<PromptEncoder> encoder_;
  at::TensorOptions options_;
  SayWarning warn_;
};

struct WanTextSettings {
  std::filesystem::path encoder;    // models_t5_umt5-xxl-enc-bf16.pth
  std::filesystem::path tokenizer;  // spiece.model
  int64_t text_len = 512;
  at::TensorOptions options;                   // of the computation and the result
  std::optional<std::filesystem::path> cache;  // a folder for embeddings; nullopt: no cache
  EmbeddingCache::Use cache_use = EmbeddingCache::Use::kReadAndAdd;
  SayWarning warn;
};

// Until an uncached prompt comes, only the encoder's index and the tokenizer's bytes are read.
std::unique_ptr<PromptEncoder> open_prompt_encoder(const WanTextSettings& settings);
std::unique_ptr<TextEncoder> open_wan_text_encoder(const WanTextSettings& settings);

}  // namespace sgf
