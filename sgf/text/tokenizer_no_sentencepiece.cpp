#include "sgf/core/error.h"
#include "sgf/text/tokenizer.h"

namespace sgf {

class Tokenizer::Model {};

Tokenizer::Tokenizer(const std::filesystem::path& model) {
  fail(
      "text",
      "{}: this build reads no SentencePiece models, so new prompts can't be encoded: install libsentencepiece-dev and "
      "build again; prompts encoded before are found in the cache of embeddings",
      model.string());
}
Tokenizer::~Tokenizer() = default;
Tokenizer::Tokenizer(Tokenizer&&) noexcept = default;
Tokenizer& Tokenizer::operator=(Tokenizer&&) noexcept = default;

// There is never a tokenizer to call these on.
Tokens Tokenizer::encode(std::string_view, int64_t) const { return {}; }
std::string Tokenizer::piece(int64_t) const { return ""; }
int64_t Tokenizer::vocabulary() const { return 0; }

std::string tokenizer_component() { return "no SentencePiece"; }

}  // namespace sgf
