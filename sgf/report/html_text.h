// Text and bytes made fit to stand inside an HTML page.
#pragma once

#include <string>
#include <string_view>

namespace sgf {

// Fit for text and for quoted attributes alike.
std::string escape_html(std::string_view text);

std::string encode_base64(std::string_view bytes);

}  // namespace sgf
