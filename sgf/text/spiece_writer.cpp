#include "sgf/text/spiece_writer.h"

#include "sgf/core/error.h"

#include <fmt/format.h>

#include <bit>
#include <string_view>

namespace sgf {
namespace {

constexpr std::string_view kWordStart = "\xE2\x96\x81";  // U+2581, a space within pieces

// The numbers of fields that a Unigram model needs; see spiece_model.cpp for reading.
class MessageWriter {
 public:
  MessageWriter& number(uint32_t field, uint64_t value) {
    varint(field << 3);
    varint(value);
    return *this;
  }
  MessageWriter& single(uint32_t field, float value) {
    varint(field << 3 | 5);
    const auto bits = std::bit_cast<uint32_t>(value);
    for (int i = 0; i < 4; ++i) bytes_ += static_cast<char>(bits >> (8 * i) & 0xff);
    return *this;
  }
  MessageWriter& text(uint32_t field, std::string_view value) {
    varint(field << 3 | 2);
    varint(value.size());
    bytes_ += value;
    return *this;
  }
  std::string take() { return std::move(bytes_); }

 private:
  void varint(uint64_t value) {
    for (; value >= 0x80; value >>= 7) bytes_ += static_cast<char>(value | 0x80);
    bytes_ += static_cast<char>(value);
  }

  std::string bytes_;
};

std::string trainer_bytes(const SpieceModel& model) {
  constexpr auto kNone = static_cast<uint64_t>(int64_t{-1});
  constexpr uint64_t kUnigramType = 1;
  return MessageWriter()
      .number(3, kUnigramType)
      .number(4, model.pieces.size())
      .number(24, model.whitespace_as_suffix ? 1 : 0)
      .number(35, model.byte_fallback ? 1 : 0)
      .number(40, 2)  // ids of <unk>, <s>, </s>, <pad>, as UMT5 has them
      .number(41, kNone)
      .number(42, 1)
      .number(43, 0)
      .text(47, model.end_piece)
      .take();
}

std::string normalizer_bytes(const SpieceNormalizer& normalizer) {
  return MessageWriter()
      .text(1, "identity")
      .text(2, normalizer.charsmap)
      .number(3, normalizer.add_dummy_prefix ? 1 : 0)
      .number(4, normalizer.remove_extra_whitespaces ? 1 : 0)
      .number(5, normalizer.escape_whitespaces ? 1 : 0)
      .take();
}

// Frequent words of prompts, so that a rehearsal has tokens like those of a real one.
constexpr std::string_view kWords[] = {"a",      "the",  "of",    "in",    "on",    "with",  "and",   "is",   "red",
                                       "green",  "blue", "dog",   "cat",   "panda", "man",   "woman", "car",  "street",
                                       "camera", "sky",  "water", "light", "rides", "walks", "slow",  "fast", "video"};

}  // namespace

std::string spiece_bytes(const SpieceModel& model) {
  MessageWriter out;
  for (const SpiecePiece& piece : model.pieces)
    out.text(
        1,
        MessageWriter().text(1, piece.text).single(2, piece.score).number(3, static_cast<uint64_t>(piece.kind)).take());
  return out.text(2, trainer_bytes(model)).text(3, normalizer_bytes(model.normalizer)).take();
}

SpieceModel plain_tokenizer(int64_t pieces) {
  constexpr int64_t kFewest = 512;
  SGF_CHECK(pieces >= kFewest, "a tokenizer needs at least {} pieces, got {}", kFewest, pieces);
  constexpr float kWordScore = -6, kCharacterScore = -9, kFillerScore = -12;
  SpieceModel model{.pieces = {{"<pad>", 0, PieceKind::kControl},
                               {"</s>", 0, PieceKind::kControl},
                               {"<unk>", 0, PieceKind::kUnknown}},
                    .normalizer = {},
                    .byte_fallback = true};
  for (int byte = 0; byte < 256; ++byte) model.pieces.push_back({fmt::format("<0x{:02X}>", byte), 0, PieceKind::kByte});
  model.pieces.push_back({std::string(kWordStart), kCharacterScore, PieceKind::kNormal});
  for (char c = '!'; c <= '~'; ++c) model.pieces.push_back({std::string(1, c), kCharacterScore, PieceKind::kNormal});
  for (const std::string_view word : kWords)
    model.pieces.push_back({fmt::format("{}{}", kWordStart, word), kWordScore, PieceKind::kNormal});
  while (static_cast<int64_t>(model.pieces.size()) < pieces)
    model.pieces.push_back({fmt::format("{}~{}~", kWordStart, model.pieces.size()), kFillerScore, PieceKind::kNormal});
  return model;
}

}  // namespace sgf
