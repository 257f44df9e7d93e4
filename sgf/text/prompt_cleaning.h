// Cleans a prompt the way Wan's tokenizer expects it. Torch-free.
#pragma once

#include <string>
#include <string_view>

namespace sgf {

// What Wan does before SentencePiece: ftfy's defaults (mojibake, straight quotes, ligatures, letter widths, line
// breaks, escapes and control characters, NFC), HTML unescaped twice, white space collapsed to single spaces and
// trimmed. Invalid UTF-8 becomes U+FFFD.
std::string clean_prompt(std::string_view prompt);

// Whether anything visible is left after cleaning: white space and invisible characters are not words.
bool has_words(std::string_view prompt);

// Only ftfy's part.
std::string fix_text(std::string_view text);

}  // namespace sgf
