// Quotes text from a file for an error message.
#pragma once

#include <string>
#include <string_view>

namespace sgf {

// Escapes the text with printable(), cuts it after 120 bytes at a character boundary and puts it in single quotes. So a
// damaged file cannot control the terminal or fill the log.
std::string in_quotes(std::string_view text);

}  // namespace sgf
