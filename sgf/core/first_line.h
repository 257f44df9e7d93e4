// What of an exception's message helps a user: torch appends a backtrace.
#pragma once

#include <exception>
#include <string>

namespace sgf {

inline std::string first_line(const std::exception& error) {
  const std::string text = error.what();
  return text.substr(0, text.find('\n'));
}

}  // namespace sgf
