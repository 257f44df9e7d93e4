// Wan's text encoder as the rest of the program sees one: prompts in, rows padded with zeros out.
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
  // Throws Error where the tokenizer knows more pieces than the encoder has rows.
  Umt5PromptEncoder(Tokenizer tokenizer, Umt5Encoder encoder, int64_t text_len);

  int64_t text_len() const override { return text_len_; }
  int64_t text_dim() const override { return encoder_.config().dim; }
  std::vector<EncodedPrompt> encode(const std::vector<std::string>& cleaned) const override;

 private:
  Tokenizer tokenizer_;
  Umt5Encoder encoder_;
  int64_t text_len_;
};

// Cleans, encodes and pads. Wan's network attends to all `text_len` rows, the zeros too.
class WanTextEncoder final : public TextEncoder {
 public:
  WanTextEncoder(std::unique_ptr<PromptEncoder> encoder, at::TensorOptions options, SayWarning warn = {});

  int64_t text_len() const override { return encoder_->text_len(); }
  int64_t text_dim() const override { return encoder_->text_dim(); }
  // A prompt that was cut is said with how much of it.
  at::Tensor encode(const std::vector<std::string>& prompts) const override;

 private:
  std::unique_ptr<PromptEncoder> encoder_;
  at::TensorOptions options_;
  SayWarning warn_;
};

struct WanTextSettings {
  std::filesystem::path encoder;    // models_t5_umt5-xxl-enc-bf16.pth
  std::filesystem::path tokenizer;  // spiece.model
  int64_t text_len = 512;
  at::TensorOptions options;  // of the computation and of what comes out
  Umt5Residence residence = Umt5Residence::kLayerByLayer;
  std::optional<std::filesystem::path> cache;  // a folder for embeddings; nothing: none are kept
  EmbeddingCache::Use cache_use = EmbeddingCache::Use::kReadAndAdd;
  SayWarning warn;
};

// Of the files, only the index of one and the bytes of the other are read before a prompt comes that is not cached.
std::unique_ptr<PromptEncoder> open_prompt_encoder(const WanTextSettings& settings);
std::unique_ptr<TextEncoder> open_wan_text_encoder(const WanTextSettings& settings);

}  // namespace sgf
