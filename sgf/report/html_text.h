// Escapes text and encodes bytes for HTML, and fills page templates.
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace sgf {

// Safe in text and in quoted attributes.
std::string escape_html(std::string_view text);

std::string encode_base64(std::string_view bytes);

// Replaces each {{name}} in `page` by its text, without searching the text again; throws on a name without a text. A
// text that is empty or ends with a line break also replaces the line break after its {{name}}, so that a part of the
// page can have its own line.
std::string fill_page(std::string_view page, const std::map<std::string_view, std::string_view>& texts);

}  // namespace sgf
