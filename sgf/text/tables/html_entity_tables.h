// The named characters of HTML5. Torch-free.
#pragma once

#include <span>
#include <string_view>

namespace sgf {

struct HtmlEntity {
  std::string_view name;  // as after the ampersand: "amp;", and "amp" where HTML forgives a missing semicolon
  std::u32string_view text;
};

std::span<const HtmlEntity> html_entities();     // in the order of their names
std::span<const HtmlEntity> capital_entities();  // "EACUTE;" for É: no HTML, but found in the wild

}  // namespace sgf
