#include "sgf/core/in_quotes.h"

#include <fmt/format.h>

namespace sgf {

std::string in_quotes(std::string_view text) {
  constexpr size_t kLongest = 120;
  std::string out = "'";
  for (const char c : text.substr(0, kLongest)) {
    const bool is_plain = c >= 0x20 && c < 0x7f;
    out += is_plain ? std::string(1, c) : fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
  }
  return out + (text.size() > kLongest ? "'..." : "'");
}

}  // namespace sgf
