// SentencePiece's own reading of text before it is cut into pieces: sequences replaced by a table, spaces made visible.
// Torch-free.
#pragma once

#include "sgf/text/spiece_model.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sgf {

class SpieceTextNormalizer {
 public:
  // Throws Error where the table of replacements is none. User-defined pieces are left as they are.
  SpieceTextNormalizer(const SpieceModel& model, const std::string& source);  // errors name the source
  SpieceTextNormalizer(const SpieceTextNormalizer&) = delete;                 // one part points into another

  std::string normalize(std::string_view text) const;

 private:
  // What stands at the beginning of the text: its replacement, and how many bytes it takes.
  struct Prefix {
    std::string_view text;
    size_t bytes = 0;
  };

  Prefix next(std::string_view text) const;
  Prefix longest_replacement(std::string_view text) const;

  SpieceNormalizer settings_;
  bool whitespace_as_suffix_;
  std::vector<uint32_t> trie_;     // a double array
  std::string_view replacements_;  // in settings_.charsmap, each ended by a zero byte
  std::vector<std::string> user_pieces_;
};

// Bytes of the UTF-8 character that begins with this one, as SentencePiece counts them.
size_t utf8_length(char lead);

}  // namespace sgf
