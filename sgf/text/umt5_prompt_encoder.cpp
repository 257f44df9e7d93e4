#include "sgf/text/umt5_prompt_encoder.h"

#include "sgf/core/error.h"

namespace sgf {

Umt5PromptEncoder::Umt5PromptEncoder(Tokenizer tokenizer, Umt5Encoder encoder, int64_t text_len)
    : tokenizer_(std::move(tokenizer)), encoder_(std::move(encoder)), text_len_(text_len) {
  SGF_CHECK(tokenizer_.vocabulary() <= encoder_.config().vocabulary,
            "the tokenizer has {} pieces, the encoder rows for {}: they do not belong together",
            tokenizer_.vocabulary(), encoder_.config().vocabulary);
}

std::vector<EncodedPrompt> Umt5PromptEncoder::encode(const std::vector<std::string>& cleaned) const {
  std::vector<std::vector<int64_t>> ids;
  std::vector<EncodedPrompt> encoded;
  for (const std::string& prompt : cleaned) {
    Tokens tokens = tokenizer_.encode(prompt, text_len_);
    ids.push_back(std::move(tokens.ids));
    encoded.push_back({.rows = {}, .cut = tokens.cut});
  }
  std::vector<at::Tensor> rows = encoder_.encode(ids);
  for (size_t i = 0; i < rows.size(); ++i) encoded[i].rows = std::move(rows[i]);
  return encoded;
}

}  // namespace sgf
