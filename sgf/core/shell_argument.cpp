#include "sgf/core/shell_argument.h"

#include <algorithm>

namespace sgf {
namespace {

bool is_plain(char c) {
  const bool is_word = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
  return is_word || std::string_view("_./-+:,@%").find(c) != std::string_view::npos;
}

}  // namespace

std::string shell_argument(std::string_view text) {
  if (!text.empty() && std::ranges::all_of(text, is_plain)) return std::string(text);
  std::string quoted = "'";
  for (const char c : text) c == '\'' ? quoted += "'\\''" : quoted += c;
  return quoted + "'";
}

}  // namespace sgf
