// The library's one exception, and the check that throws it. A message says what is wrong with the value, what was
// expected and what to do.
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

// SGF_CHECK(holds, format, args...): check once at the interface and trust inside. It is a macro so that the message's
// arguments are evaluated only on failure.
#define SGF_CHECK(holds, ...)               \
  do {                                      \
    if (!(holds)) ::sgf::fail(__VA_ARGS__); \
  } while (false)

}  // namespace sgf
