#include "sgf/text/tokenizer.h"

#include "sgf/core/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace sgf {
namespace {

constexpr float kUnknownPenalty = 10;  // below the least likely piece

bool can_come_from_text(PieceKind kind) {
  return kind == PieceKind::kNormal || kind == PieceKind::kUserDefined || kind == PieceKind::kUnused;
}

}  // namespace

// The best segmentation of the text up to here: its last piece, and where that piece begins.
struct Tokenizer::Node {
  int64_t id = -1;
  float score = 0;
  size_t begin = std::numeric_limits<size_t>::max();

  bool is_reached() const { return begin != std::numeric_limits<size_t>::max(); }
  void offer(float candidate, int64_t piece, size_t from) {
    if (is_reached() && candidate <= score) return;
    *this = {.id = piece, .score = candidate, .begin = from};
  }
};

Tokenizer::Tokenizer(const std::filesystem::path& model)
    : model_(std::make_unique<const SpieceModel>(read_spiece_model(model))),
      normalizer_(std::make_unique<const SpieceTextNormalizer>(*model_, model.string())) {
  index_pieces(model.string());
}

void Tokenizer::index_pieces(const std::string& path) {
  lowest_ = std::numeric_limits<float>::max();
  highest_ = std::numeric_limits<float>::lowest();
  std::unordered_map<std::string_view, int64_t> others;
  for (int64_t id = 0; id < vocabulary(); ++id) {
    const SpiecePiece& piece = model_->pieces[static_cast<size_t>(id)];
    (can_come_from_text(piece.kind) ? index_ : others)[piece.text] = id;
    if (piece.kind == PieceKind::kUnknown) unknown_ = id;
    if (can_come_from_text(piece.kind)) longest_ = std::max(longest_, piece.text.size());
    if (piece.kind != PieceKind::kNormal) continue;
    lowest_ = std::min(lowest_, piece.score);
    highest_ = std::max(highest_, piece.score);
  }
  const auto end = others.find(model_->end_piece);
  SGF_CHECK(end != others.end() && end->second == kEndId,
            "{}: in this SentencePiece model of {} pieces, piece {} is not an end symbol, as UMT5 needs it to be", path,
            vocabulary(), kEndId);
  if (!model_->byte_fallback) return;
  for (int byte = 0; byte < 256; ++byte) {
    const auto found = others.find(fmt::format("<0x{:02X}>", byte));
    SGF_CHECK(found != others.end(), "{}: the SentencePiece model has byte pieces, but lacks byte {}", path, byte);
    byte_ids_.push_back(found->second);
  }
}

// Viterbi over the bytes: at every character, each piece that begins there updates the position where it ends. Sums are
// float32 as in SentencePiece, so that ties ("g gg" or "gg g") resolve the same way.
std::vector<Tokenizer::Node> Tokenizer::best_paths(std::string_view text) const {
  std::vector<Node> ends(text.size() + 1);
  for (size_t begin = 0; begin < text.size();) {
    const float so_far = ends[begin].score;
    const size_t character = std::min(utf8_length(text[begin]), text.size() - begin);
    bool has_character = false;
    for (size_t length = 1; length <= std::min(longest_, text.size() - begin); ++length) {
      const auto found = index_.find(text.substr(begin, length));
      if (found == index_.end()) continue;
      const SpiecePiece& piece = model_->pieces[static_cast<size_t>(found->second)];
      if (piece.kind == PieceKind::kUnused) continue;
      const bool is_users = piece.kind == PieceKind::kUserDefined;
      const float own = is_users ? static_cast<float>(length) * highest_ - 0.1f : piece.score;
      ends[begin + length].offer(own + so_far, found->second, begin);
      has_character = has_character || length == character;
    }
    if (!has_character) ends[begin + character].offer(lowest_ - kUnknownPenalty + so_far, unknown_, begin);
    begin += character;
  }
  return ends;
}

// Spells the text in bytes; without byte pieces a run of unknown characters becomes one unknown id.
void Tokenizer::add_unknown(std::vector<int64_t>& ids, std::string_view text) const {
  if (byte_ids_.empty()) {
    if (ids.empty() || ids.back() != unknown_) ids.push_back(unknown_);
    return;
  }
  for (const char c : text) ids.push_back(byte_ids_[static_cast<uint8_t>(c)]);
}

Tokens Tokenizer::encode(std::string_view text, int64_t limit) const {
  SGF_CHECK(limit >= 1, "the token limit must be at least 1 for the end token, got {}", limit);
  const std::string normalized = normalizer_->normalize(text);
  const std::vector<Node> ends = best_paths(normalized);
  std::vector<std::pair<size_t, size_t>> spans;  // pieces from the last to the first
  for (size_t end = normalized.size(); end > 0; end = ends[end].begin) spans.emplace_back(ends[end].begin, end);
  Tokens tokens;
  for (auto span = spans.rbegin(); span != spans.rend(); ++span) {
    const int64_t id = ends[span->second].id;
    const std::string_view piece = std::string_view(normalized).substr(span->first, span->second - span->first);
    id == unknown_ ? add_unknown(tokens.ids, piece) : tokens.ids.push_back(id);
  }
  const auto whole = static_cast<int64_t>(tokens.ids.size()), kept = std::min(whole, limit - 1);
  tokens.ids.resize(static_cast<size_t>(kept));
  tokens.ids.push_back(kEndId);
  tokens.cut = whole - kept;
  return tokens;
}

const std::string& Tokenizer::piece(int64_t id) const {
  SGF_CHECK(id >= 0 && id < vocabulary(), "token id must be 0 to {}, got {}", vocabulary() - 1, id);
  return model_->pieces[static_cast<size_t>(id)].text;
}

}  // namespace sgf
