// Detects text that looks like UTF-8 decoded with another code page. Torch-free.
#pragma once

#include <cstdint>
#include <string_view>

namespace sgf {

// The MojibakeClass bits of a character.
uint32_t mojibake_classes(char32_t c);

// Whether the text has character combinations that almost never occur on purpose. The pairs and triples are those
// published by ftfy 6, so that the same prompts are repaired.
bool looks_like_mojibake(std::u32string_view text);

}  // namespace sgf
