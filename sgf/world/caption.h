// Captions: factors as words of a small closed vocabulary, and the reverse.
#pragma once

#include "sgf/world/words.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sgf {

// "a fast red disc and a slow blue square on a grey field"
std::string caption_text(const WorldCaption& caption);

// The factors that a caption names. For an unknown word throws an Error with the nearest known one; for a sentence of
// the wrong form, or one that names a colour twice, an Error with what was expected.
WorldCaption parse_caption(std::string_view text);

// How many objects a text in the world's vocabulary names, even if it is not a complete sentence.
int64_t count_named_objects(std::string_view text);

// All words of captions. Their order is that of the word table and never changes; new words are appended.
const std::vector<std::string>& world_vocabulary();

// Positions in the vocabulary, in the order of the text. Case is ignored; commas and full stops are dropped.
std::vector<int64_t> world_tokens(std::string_view text);

}  // namespace sgf
