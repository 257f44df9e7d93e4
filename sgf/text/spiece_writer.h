// Writes a SentencePiece model: for folders of random weights, which need a tokenizer that may be passed on.
// Torch-free.
#pragma once

#include "sgf/text/spiece_model.h"

#include <cstdint>
#include <string>

namespace sgf {

// The bytes of a spiece.model, for read_spiece_model and for SentencePiece itself.
std::string spiece_bytes(const SpieceModel& model);

// A tokenizer for any text: byte pieces as UMT5 has them, ASCII characters, some English words, and words that no text
// contains until there are `pieces` pieces. At least 512.
SpieceModel plain_tokenizer(int64_t pieces);

}  // namespace sgf
