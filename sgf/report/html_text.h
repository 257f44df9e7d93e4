// Text and bytes made fit to stand inside an HTML page, and the page they stand in.
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace sgf {

// Fit for text and for quoted attributes alike.
std::string escape_html(std::string_view text);

std::string encode_base64(std::string_view bytes);

// `page` with each {{name}} replaced by its text, which is not searched in turn; a name without a text is refused.
// A text that ends with a line break, or is empty, replaces the one after its {{name}} too, so that a part of the page
// can have a line of its own.
std::string fill_page(std::string_view page, const std::map<std::string_view, std::string_view>& texts);

}  // namespace sgf
