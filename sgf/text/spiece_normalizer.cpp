#include "sgf/text/spiece_normalizer.h"

#include "sgf/core/error.h"
#include "sgf/text/code_points.h"

#include <algorithm>
#include <cstring>

namespace sgf {
namespace {

constexpr std::string_view kVisibleSpace = "\xe2\x96\x81";  // U+2581
constexpr std::string_view kBrokenByte = "\xef\xbf\xbd";    // U+FFFD

// A unit of the double array: the label of the edge to it, the position of its children, and whether it ends a key.
bool ends_key(uint32_t unit) { return ((unit >> 8) & 1) != 0; }
uint32_t value_of_leaf(uint32_t unit) { return unit & 0x7fffffffu; }
uint32_t label_of(uint32_t unit) { return unit & 0x800000ffu; }
uint32_t offset_of(uint32_t unit) { return (unit >> 10) << ((unit & 0x200u) >> 6); }

uint32_t little_endian(std::string_view bytes) {
  uint32_t value = 0;
  for (size_t i = 0; i < 4; ++i) value |= uint32_t{static_cast<uint8_t>(bytes[i])} << (8 * i);
  return value;
}

}  // namespace

size_t utf8_length(char lead) {
  constexpr size_t kLengths[] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 3, 4};
  return kLengths[static_cast<uint8_t>(lead) >> 4];
}

SpieceTextNormalizer::SpieceTextNormalizer(const SpieceModel& model, const std::string& source)
    : settings_(model.normalizer), whitespace_as_suffix_(model.whitespace_as_suffix) {
  for (const SpiecePiece& piece : model.pieces) {
    if (piece.kind == PieceKind::kUserDefined) user_pieces_.push_back(piece.text);
  }
  if (settings_.charsmap.empty()) return;
  const std::string_view map = settings_.charsmap;
  const size_t trie_bytes = map.size() < 4 ? 0 : little_endian(map);
  SGF_CHECK(trie_bytes >= 1024 && trie_bytes % 4 == 0 && trie_bytes < map.size() - 4 && map.back() == '\0',
            "{}: the replacement table of the SentencePiece model is damaged", source);
  for (size_t at = 4; at < 4 + trie_bytes; at += 4) trie_.push_back(little_endian(map.substr(at)));
  replacements_ = map.substr(4 + trie_bytes);
}

SpieceTextNormalizer::Prefix SpieceTextNormalizer::longest_replacement(std::string_view text) const {
  Prefix found;
  if (trie_.empty()) return found;
  size_t node = offset_of(trie_[0]);
  for (size_t i = 0; i < text.size(); ++i) {
    const auto label = static_cast<uint8_t>(text[i]);
    node ^= label;
    if (node >= trie_.size() || label_of(trie_[node]) != label) break;
    const uint32_t unit = trie_[node];
    node ^= offset_of(unit);
    if (node >= trie_.size()) break;
    const uint32_t place = ends_key(unit) ? value_of_leaf(trie_[node]) : 0;
    if (ends_key(unit) && place < replacements_.size()) found = {replacements_.data() + place, i + 1};
  }
  return found;
}

SpieceTextNormalizer::Prefix SpieceTextNormalizer::next(std::string_view text) const {
  size_t own = 0;
  for (const std::string& piece : user_pieces_) {
    if (piece.size() > own && text.starts_with(piece)) own = piece.size();
  }
  if (own > 0) return {text.substr(0, own), own};
  const Prefix replaced = longest_replacement(text);
  if (replaced.bytes > 0) return replaced;
  const std::string_view character = text.substr(0, utf8_length(text[0]));
  return decode_strict_utf8(character) ? Prefix{character, character.size()} : Prefix{kBrokenByte, 1};
}

std::string SpieceTextNormalizer::normalize(std::string_view text) const {
  const std::string_view space = settings_.escape_whitespaces ? kVisibleSpace : " ";
  const bool trims = settings_.remove_extra_whitespaces;
  while (trims && !text.empty() && next(text).text == " ") text.remove_prefix(next(text).bytes);
  if (text.empty()) return "";
  std::string out;
  if (settings_.add_dummy_prefix && !whitespace_as_suffix_) out += space;
  bool after_space = trims;
  while (!text.empty()) {
    Prefix prefix = next(text);
    text.remove_prefix(prefix.bytes);
    while (after_space && prefix.text.starts_with(' ')) prefix.text.remove_prefix(1);
    for (const char c : prefix.text) c == ' ' ? out += space : out += c;
    if (!prefix.text.empty()) after_space = prefix.text.ends_with(' ');
    if (!trims) after_space = false;
  }
  while (trims && out.ends_with(space)) out.erase(out.size() - space.size());
  if (settings_.add_dummy_prefix && whitespace_as_suffix_) out += space;
  return out;
}

}  // namespace sgf
