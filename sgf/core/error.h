// The one exception of the library, and the checks that throw it. A message names the room it came from,
// what came and what was expected.
#pragma once

#include <fmt/format.h>

#include <stdexcept>
#include <string>
#include <string_view>

namespace sgf {

// "[room] message", one printable line. Library code throws it; only apps/ prints it and exits.
class Error : public std::runtime_error {
 public:
  Error(std::string_view room, std::string_view message);

  const std::string& room() const { return room_; }

 private:
  std::string room_;
};

template <class... Args>
[[noreturn]] void fail(std::string_view room, fmt::format_string<Args...> format, Args&&... args) {
  throw Error(room, fmt::format(format, std::forward<Args>(args)...));
}

// Check at the door, once; inside, trust.
template <class... Args>
void check(bool holds, std::string_view room, fmt::format_string<Args...> format, Args&&... args) {
  if (!holds) fail(room, format, std::forward<Args>(args)...);
}

}  // namespace sgf
