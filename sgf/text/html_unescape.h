// HTML escapes for characters, read in two ways: carefully, for text that may only look like HTML, and as a browser
// does. Torch-free.
#pragma once

#include <string>
#include <string_view>

namespace sgf {

// Like ftfy: whole entities with their semicolon ("&eacute;", "&#233;"), names also in capitals ("&EACUTE;").
std::u32string unescape_whole_entities(std::u32string_view text);

// Like Python's html.unescape, which follows HTML5: also without a semicolon, and at the beginning of a longer word
// ("&notit" is "¬it").
std::u32string unescape_html(std::u32string_view text);

}  // namespace sgf
