// The file format of SentencePiece models, as far as a Unigram model needs it. Torch-free.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace sgf {

enum class PieceKind { kNormal = 1, kUnknown = 2, kControl = 3, kUserDefined = 4, kUnused = 5, kByte = 6 };

struct SpiecePiece {
  std::string text;
  float score = 0;
  PieceKind kind = PieceKind::kNormal;
};

// How text is brought to the letters that the pieces are made of.
struct SpieceNormalizer {
  std::string charsmap;  // a trie of sequences and what they become; empty: nothing changes
  bool add_dummy_prefix = true;
  bool remove_extra_whitespaces = true;
  bool escape_whitespaces = true;
};

struct SpieceModel {
  std::vector<SpiecePiece> pieces;  // a piece's place is its id
  SpieceNormalizer normalizer;
  bool byte_fallback = false;
  bool whitespace_as_suffix = false;
  std::string end_piece = "</s>";
};

// Throws Error that names the file where it is no model, or one of another kind than Unigram.
SpieceModel read_spiece_model(const std::filesystem::path& path);

}  // namespace sgf
