// The spelling of an enum's values in configs, flags and messages: one table per enum, found by `enum_names(E{})`.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace sgf {

template <class E>
struct EnumName {
  E value;
  std::string_view name;
};
template <class E>
EnumName(E, std::string_view) -> EnumName<E>;  // clang before 17 does not deduce this

// Beside each enum: constexpr auto enum_names(Device) { return std::array{EnumName{Device::kCpu, "cpu"}, ...}; }
template <class E>
concept NamedEnum = requires(E value) {
  enum_names(value)[0].name;
};

template <NamedEnum E>
constexpr std::string_view enum_name(E value) {
  for (const auto& known : enum_names(value)) {
    if (known.value == value) return known.name;
  }
  return "?";
}

template <NamedEnum E>
constexpr std::optional<E> enum_from_name(std::string_view name) {
  for (const auto& known : enum_names(E{})) {
    if (known.name == name) return known.value;
  }
  return std::nullopt;
}

// "auto, cpu, cuda"
template <NamedEnum E>
std::string all_enum_names(std::string_view separator = ", ") {
  std::string names;
  for (const auto& known : enum_names(E{})) {
    if (!names.empty()) names += separator;
    names += known.name;
  }
  return names;
}

}  // namespace sgf
