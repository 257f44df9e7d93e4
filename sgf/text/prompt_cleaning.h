// A prompt as Wan's tokenizer wants it. Torch-free.
#pragma once

#include <string>
#include <string_view>

namespace sgf {

// What Wan does before SentencePiece: ftfy's defaults (mojibake, straight quotes, ligatures, widths of letters, line
// breaks, escapes and control characters, NFC), HTML unescaped twice, runs of white space to one space, none at the
// ends. Bytes that are no UTF-8 become U+FFFD.
std::string clean_prompt(std::string_view prompt);

// ftfy's part alone.
std::string fix_text(std::string_view text);

}  // namespace sgf
