// Repairs UTF-8 text that was decoded with another code page: "Ã©" -> "é". Torch-free.
#pragma once

#include <string>

namespace sgf {

// Like ftfy 6: handles Latin-1, Windows-125x including unassigned bytes, ISO 8859-2, MacRoman and code page 437;
// several layers; 0xa0 turned into a space; bytes lost to U+FFFD; and damage in only a part of the text. Text that does
// not look like mojibake is kept.
std::u32string mend_mojibake(std::u32string text);

// Decodes control characters 0x80 to 0x9f as Windows-1252.
std::u32string read_c1_as_1252(std::u32string text);

}  // namespace sgf
