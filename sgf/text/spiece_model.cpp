// A protocol buffer is a list of (field number, wire type, value). Few fields matter here; the others are skipped.
#include "sgf/text/spiece_model.h"

#include "sgf/core/error.h"
#include "sgf/files/mapped_file.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <optional>
#include <string_view>

namespace sgf {
namespace {

constexpr uint64_t kUnigram = 1;

struct Field {
  uint32_t number = 0;
  uint64_t value = 0;      // for a varint or a fixed number
  std::string_view bytes;  // for a string or a message
};

// Steps through the fields of one message; returns nullopt and sets `is_broken` if the bytes are invalid.
class FieldReader {
 public:
  explicit FieldReader(std::string_view bytes) : rest_(bytes) {}

  std::optional<Field> next() {
    if (rest_.empty() || is_broken) return std::nullopt;
    const uint64_t tag = varint();
    Field field{.number = static_cast<uint32_t>(tag >> 3)};
    switch (tag & 7) {
      case 0:
        field.value = varint();
        break;
      case 1:
        field.value = fixed(8);
        break;
      case 2:
        field.bytes = take(varint());
        break;
      case 5:
        field.value = fixed(4);
        break;
      default:
        is_broken = true;
    }
    return is_broken ? std::nullopt : std::optional(field);
  }

  bool is_broken = false;

 private:
  uint64_t varint() {
    uint64_t value = 0;
    for (int shift = 0; shift < 64 && !rest_.empty(); shift += 7) {
      const auto byte = static_cast<uint8_t>(rest_.front());
      rest_.remove_prefix(1);
      value |= static_cast<uint64_t>(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
    is_broken = true;
    return 0;
  }

  std::string_view take(uint64_t size) {
    if (size > rest_.size()) is_broken = true;
    if (is_broken) return {};
    const std::string_view taken = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return taken;
  }

  uint64_t fixed(size_t size) {
    uint64_t value = 0;
    const std::string_view bytes = take(size);
    for (size_t i = 0; i < bytes.size(); ++i) value |= uint64_t{static_cast<uint8_t>(bytes[i])} << (8 * i);
    return value;
  }

  std::string_view rest_;
};

template <class Take>
bool read_message(std::string_view bytes, const Take& take) {
  FieldReader reader(bytes);
  while (const std::optional<Field> field = reader.next()) take(*field);
  return !reader.is_broken;
}

bool read_piece(SpieceModel& model, std::string_view bytes) {
  SpiecePiece piece;
  const bool is_good = read_message(bytes, [&](const Field& field) {
    if (field.number == 1) piece.text = field.bytes;
    if (field.number == 2) piece.score = std::bit_cast<float>(static_cast<uint32_t>(field.value));
    if (field.number == 3) piece.kind = static_cast<PieceKind>(field.value);
  });
  const bool is_known = piece.kind >= PieceKind::kNormal && piece.kind <= PieceKind::kByte;
  model.pieces.push_back(std::move(piece));
  return is_good && is_known && !model.pieces.back().text.empty();
}

bool read_trainer(SpieceModel& model, uint64_t& kind, std::string_view bytes) {
  return read_message(bytes, [&](const Field& field) {
    if (field.number == 3) kind = field.value;
    if (field.number == 24) model.whitespace_as_suffix = field.value != 0;
    if (field.number == 35) model.byte_fallback = field.value != 0;
    if (field.number == 47) model.end_piece = field.bytes;
  });
}

bool read_normalizer(SpieceNormalizer& normalizer, std::string_view bytes) {
  return read_message(bytes, [&](const Field& field) {
    if (field.number == 2) normalizer.charsmap = field.bytes;
    if (field.number == 3) normalizer.add_dummy_prefix = field.value != 0;
    if (field.number == 4) normalizer.remove_extra_whitespaces = field.value != 0;
    if (field.number == 5) normalizer.escape_whitespaces = field.value != 0;
  });
}

}  // namespace

SpieceModel read_spiece_model(const std::filesystem::path& path) {
  const auto file = MappedFile::open(path);
  SpieceModel model;
  uint64_t kind = kUnigram;
  bool is_good = true;
  const auto take = [&](const Field& field) {
    if (field.number == 1) is_good = is_good && read_piece(model, field.bytes);
    if (field.number == 2) is_good = is_good && read_trainer(model, kind, field.bytes);
    if (field.number == 3) is_good = is_good && read_normalizer(model.normalizer, field.bytes);
  };
  is_good = read_message(file->text(), take) && is_good && !model.pieces.empty();
  SGF_CHECK(is_good, "{}: is not a complete SentencePiece model; expected the spiece.model of google/umt5-xxl",
            path.string());
  SGF_CHECK(kind == kUnigram, "{}: is a SentencePiece model of type {}, expected type 1 (Unigram) as in UMT5",
            path.string(), kind);
  const auto unknowns = std::ranges::count(model.pieces, PieceKind::kUnknown, &SpiecePiece::kind);
  SGF_CHECK(unknowns == 1, "{}: a SentencePiece model must have one unknown piece, got {}", path.string(), unknowns);
  return model;
}

}  // namespace sgf
