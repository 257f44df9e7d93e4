// Text that came out of a file, made fit for an error message.
#pragma once

#include <string>
#include <string_view>

namespace sgf {

// In single quotes as printable() shows it, cut after 120 bytes between characters: a damaged file must not paint the
// terminal or fill the log.
std::string in_quotes(std::string_view text);

}  // namespace sgf
