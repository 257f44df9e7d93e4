// The file format of SentencePiece models, as far as Unigram models need it. Torch-free.
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

// How text is normalised to the characters of the pieces.
struct SpieceNormalizer {
  std::string charsmap;  // a trie of sequences and their replacements; empty: no changes
  bool add_dummy_prefix = true;
  bool remove_extra_whitespaces = true;
  bool escape_whitespaces = true;
};

struct SpieceModel {
  std::vector<SpiecePiece> pieces;  // the index of a piece is its id
  SpieceNormalizer normalizer;
  bool byte_fallback = false;
  bool whitespace_as_suffix = false;
  std::string end_piece = "</s>";
};

// Throws an Error that names the file if it is not a model, or not a Unigram model.
SpieceModel read_spiece_model(const std::filesystem::path& path);

}  // namespace sgf
