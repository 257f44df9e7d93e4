// Does a text look as if UTF-8 had been read as something else? Torch-free.
#pragma once

#include <cstdint>
#include <string_view>

namespace sgf {

// The MojibakeClass bits of a character.
uint32_t mojibake_classes(char32_t c);

// Whether some characters stand together that hardly ever do on purpose. The pairs and triples are those that ftfy 6
// publishes, so that the same prompts are mended here as there.
bool looks_like_mojibake(std::u32string_view text);

}  // namespace sgf
