// Prompts as numbers: SentencePiece with the model file that lies in a Wan folder. Torch-free.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace sgf {

inline constexpr int64_t kPadId = 0, kEndId = 1;

struct Tokens {
  std::vector<int64_t> ids;  // the last is kEndId
  int64_t cut = 0;           // ids that did not fit, the end not counted

  bool operator==(const Tokens&) const = default;
};

class Tokenizer {
 public:
  // A missing file, or one that is no SentencePiece model with UMT5's end symbol, is an Error; so is any file where the
  // program was built without SentencePiece.
  explicit Tokenizer(const std::filesystem::path& model);
  ~Tokenizer();
  Tokenizer(Tokenizer&&) noexcept;
  Tokenizer& operator=(Tokenizer&&) noexcept;

  // Of cleaned text, at most `limit` ids with the end. "</s>" and its like in a prompt are text like any other: a user
  // who types them means the letters. (Hugging Face's tokenizers read them as symbols.)
  Tokens encode(std::string_view text, int64_t limit) const;

  std::string piece(int64_t id) const;
  int64_t vocabulary() const;

 private:
  class Model;
  std::unique_ptr<const Model> model_;
};

// "SentencePiece", or "no SentencePiece".
std::string tokenizer_component();

}  // namespace sgf
