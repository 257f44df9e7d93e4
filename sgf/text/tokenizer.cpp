#include "sgf/text/tokenizer.h"

#include "sgf/core/error.h"
#include "sgf/core/mapped_file.h"

#include <sentencepiece_processor.h>

#include <algorithm>

namespace sgf {

class Tokenizer::Model {
 public:
  explicit Model(const std::filesystem::path& path) {
    const auto file = MappedFile::open(path);
    const std::string_view bytes(reinterpret_cast<const char*>(file->bytes().data()), file->bytes().size());
    const sentencepiece::util::Status status = processor_.LoadFromSerializedProto(bytes);
    check(status.ok(), "text", "{}: no SentencePiece model: {}; expected the spiece.model of google/umt5-xxl",
          path.string(), status.error_message());
    check(processor_.eos_id() == kEndId && processor_.GetPieceSize() > kEndId, "text",
          "{}: a SentencePiece model of {} pieces whose end symbol has the id {}; UMT5's has {}", path.string(),
          processor_.GetPieceSize(), processor_.eos_id(), kEndId);
  }

  const sentencepiece::SentencePieceProcessor& processor() const { return processor_; }

 private:
  sentencepiece::SentencePieceProcessor processor_;
};

Tokenizer::Tokenizer(const std::filesystem::path& model) : model_(std::make_unique<const Model>(model)) {}
Tokenizer::~Tokenizer() = default;
Tokenizer::Tokenizer(Tokenizer&&) noexcept = default;
Tokenizer& Tokenizer::operator=(Tokenizer&&) noexcept = default;

Tokens Tokenizer::encode(std::string_view text, int64_t limit) const {
  check(limit >= 1, "text", "a prompt needs room for its end: at least 1 id, got {}", limit);
  std::vector<int> ids;
  const sentencepiece::util::Status status = model_->processor().Encode(text, &ids);
  check(status.ok(), "text", "a prompt of {} bytes could not be cut into pieces: {}", text.size(),
        status.error_message());
  Tokens tokens;
  const auto kept = std::min<int64_t>(static_cast<int64_t>(ids.size()), limit - 1);
  tokens.cut = static_cast<int64_t>(ids.size()) - kept;
  tokens.ids.assign(ids.begin(), ids.begin() + kept);
  tokens.ids.push_back(kEndId);
  return tokens;
}

std::string Tokenizer::piece(int64_t id) const {
  check(id >= 0 && id < vocabulary(), "text", "ids are 0 to {}, got {}", vocabulary() - 1, id);
  return model_->processor().IdToPiece(static_cast<int>(id));
}

int64_t Tokenizer::vocabulary() const { return model_->processor().GetPieceSize(); }

std::string tokenizer_component() { return "SentencePiece"; }

}  // namespace sgf
