#include "sgf/core/in_quotes.h"

#include "sgf/core/printable.h"
#include "sgf/core/utf8.h"

namespace sgf {

std::string in_quotes(std::string_view text) {
  constexpr size_t kLongest = 120;
  const std::string_view start = cut_utf8(text, kLongest);
  return "'" + printable(start) + (start.size() < text.size() ? "'..." : "'");
}

}  // namespace sgf
