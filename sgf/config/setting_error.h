// An error about settings. It carries the keys involved, so that the message can name where they were set.
#pragma once

#include "sgf/core/error.h"

#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace sgf {

// A key as an argument of a message: "{} must divide {}".
struct Key {
  std::string_view name;
};

}  // namespace sgf

template <>
struct fmt::formatter<sgf::Key> : fmt::formatter<std::string_view> {
  template <class Context>
  auto format(const sgf::Key& key, Context& context) const {
    return fmt::formatter<std::string_view>::format(key.name, context);
  }
};

namespace sgf {

class SettingError : public Error {
 public:
  SettingError(std::string_view message, std::vector<std::string> keys) : Error(message), keys_(std::move(keys)) {}

  const std::vector<std::string>& keys() const { return keys_; }  // in the order of the message

 private:
  std::vector<std::string> keys_;
};

template <class... Args>
[[noreturn]] void refuse_setting(fmt::format_string<const Args&...> format, const Args&... args) {
  std::vector<std::string> keys;
  const auto collect = [&](const auto& arg) {
    if constexpr (std::is_same_v<std::decay_t<decltype(arg)>, Key>) keys.emplace_back(arg.name);
  };
  (collect(args), ...);
  throw SettingError(fmt::format(format, args...), std::move(keys));
}

// As SGF_CHECK, with keys among the arguments.
#define SGF_CHECK_SETTING(holds, ...)                 \
  do {                                                \
    if (!(holds)) ::sgf::refuse_setting(__VA_ARGS__); \
  } while (false)

}  // namespace sgf
