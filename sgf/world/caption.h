// Captions: factors as words of a small closed vocabulary, and back.
#pragma once

#include "sgf/world/words.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sgf {

// "a fast red disc and a slow blue square on a grey field"
std::string caption_text(const WorldCaption& caption);

// The factors that a caption names. A word out of the vocabulary is refused
// with the nearest one in it; a sentence that is not of the form above, or
// names a colour twice, with what was expected.
WorldCaption parse_caption(std::string_view text);

// How many objects a text of the world's words names, whole sentence or not.
int64_t count_named_objects(std::string_view text);

// All words that captions are made of. The order is that of the word table and
// never changes; new words go to the end.
const std::vector<std::string>& world_vocabulary();

// Positions in the vocabulary, in the order of the text. Case does not matter;
// commas and full stops are dropped.
std::vector<int64_t> world_tokens(std::string_view text);

}  // namespace sgf
