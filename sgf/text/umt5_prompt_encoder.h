// Tokenizer and UMT5 encoder as one.
#pragma once

#include "sgf/text/prompt_encoder.h"
#include "sgf/text/tokenizer.h"
#include "sgf/text/umt5_encoder.h"

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

}  // namespace sgf
