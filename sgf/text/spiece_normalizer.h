// SentencePiece's normalisation before text is split into pieces: a table replaces sequences, and spaces become
// visible. Torch-free.
#pragma once

#include "sgf/text/spiece_model.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sgf {

class SpieceTextNormalizer {
 public:
  // Throws Error if the replacement table is invalid. User-defined pieces are kept.
  SpieceTextNormalizer(const SpieceModel& model, const std::string& source);  // errors start with the source
  SpieceTextNormalizer(const SpieceTextNormalizer&) = delete;                 // members point into each other

  std::string normalize(std::string_view text) const;

 private:
  // The replacement for the beginning of the text, and how many bytes it replaces.
  struct Prefix {
    std::string_view text;
    size_t bytes = 0;
  };

  Prefix next(std::string_view text) const;
  Prefix longest_replacement(std::string_view text) const;

  SpieceNormalizer settings_;
  bool whitespace_as_suffix_;
  std::vector<uint32_t> trie_;     // a double array
  std::string_view replacements_;  // in settings_.charsmap, each terminated by a zero byte
  std::vector<std::string> user_pieces_;
};

// Length of the UTF-8 character that starts with this byte, as SentencePiece counts it.
size_t utf8_length(char lead);

}  // namespace sgf
