// The named characters of HTML5. Torch-free.
#pragma once

#include <span>
#include <string_view>

namespace sgf {

struct HtmlEntity {
  std::string_view name;  // as after the ampersand: "amp;", and "amp" if HTML accepts a missing semicolon
  std::u32string_view text;
};

std::span<const HtmlEntity> html_entities();     // sorted by name
std::span<const HtmlEntity> capital_entities();  // "EACUTE;" for É: not HTML, but it occurs in real text

}  // namespace sgf
