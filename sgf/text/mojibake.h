// Text that was UTF-8, read in a code page, made whole again: "Ã©" -> "é". Torch-free.
#pragma once

#include <string>

namespace sgf {

// As ftfy 6 mends it: Latin-1, Windows-125x with their free bytes, ISO 8859-2, MacRoman and code page 437; through
// several layers; with 0xa0 turned into a space, with bytes lost to U+FFFD, or in a part of the text only. Text that
// does not look like mojibake is left alone.
std::u32string mend_mojibake(std::u32string text);

// Control characters 0x80 to 0x9f as the Windows-1252 characters that were meant.
std::u32string read_c1_as_1252(std::u32string text);

}  // namespace sgf
