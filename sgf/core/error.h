// The one exception of the library, and the check that throws it. A message says what came and what was expected.
#pragma once

#include <fmt/format.h>

#include <stdexcept>
#include <string_view>
#include <utility>

namespace sgf {

// One printable line. Library code throws it; only apps/ prints it and exits.
class Error : public std::runtime_error {
 public:
  explicit Error(std::string_view message);
};

template <class... Args>
[[noreturn]] void fail(fmt::format_string<Args...> format, Args&&... args) {
  throw Error(fmt::format(format, std::forward<Args>(args)...));
}

// SGF_CHECK(holds, format, args...): check at the door, once; inside, trust. A macro, because the message's arguments
// must not be evaluated where it holds.
#define SGF_CHECK(holds, ...)               \
  do {                                      \
    if (!(holds)) ::sgf::fail(__VA_ARGS__); \
  } while (false)

}  // namespace sgf
