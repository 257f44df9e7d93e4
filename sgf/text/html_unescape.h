// HTML's escapes for characters, read in two ways: carefully, where text may only look like HTML, and as a browser
// does. Torch-free.
#pragma once

#include <string>
#include <string_view>

namespace sgf {

// As ftfy does: whole entities with their semicolon ("&eacute;", "&#233;"), names in capitals too ("&EACUTE;").
std::u32string unescape_whole_entities(std::u32string_view text);

// As Python's html.unescape, which follows HTML5: also without a semicolon, and the beginning of a longer word
// ("&notit" is "¬it").
std::u32string unescape_html(std::u32string_view text);

}  // namespace sgf
