// How each supported type of a config value is read from a tree, written as YAML, and named in help.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sgf/config/config_tree.h"
#include "sgf/core/enum_names.h"

namespace sgf {

// Throws "my.yaml:12: model.dim expects an integer, got 'wide'" plus the hint, if any.
[[noreturn]] void refuse_value(const ConfigNode& node, std::string_view key, std::string_view expected,
                               std::string_view hint = "");

// Every specialisation has: kind(), for help; expects(), for messages; read(node, key, value); write(value).
template <class T>
struct ConfigValue;

template <>
struct ConfigValue<bool> {
  static std::string kind() { return "bool"; }
  static std::string expects() { return "true or false"; }
  static void read(const ConfigNode& node, const std::string& key, bool& value);
  static std::string write(bool value) { return value ? "true" : "false"; }
};

template <>
struct ConfigValue<int64_t> {
  static std::string kind() { return "integer"; }
  static std::string expects() { return "an integer"; }
  static void read(const ConfigNode& node, const std::string& key, int64_t& value);
  static std::string write(int64_t value) { return fmt::format("{}", value); }
};

template <>
struct ConfigValue<double> {
  static std::string kind() { return "number"; }
  static std::string expects() { return "a number"; }
  static void read(const ConfigNode& node, const std::string& key, double& value);
  static std::string write(double value);
};

template <>
struct ConfigValue<std::string> {
  static std::string kind() { return "text"; }
  static std::string expects() { return "text"; }
  static void read(const ConfigNode& node, const std::string& key, std::string& value);
  static std::string write(const std::string& value);
};

// The name of a choice; the error for a wrong one suggests the nearest of `names`.
std::string read_choice(const ConfigNode& node, const std::string& key, const std::vector<std::string>& names);

template <NamedEnum E>
struct ConfigValue<E> {
  static std::string kind() { return all_enum_names<E>("|"); }
  static std::string expects() { return "one of " + all_enum_names<E>(); }
  static void read(const ConfigNode& node, const std::string& key, E& value) {
    std::vector<std::string> names;
    for (const auto& known : enum_names(E{})) names.emplace_back(known.name);
    value = *enum_from_name<E>(read_choice(node, key, names));
  }
  static std::string write(E value) { return std::string(enum_name(value)); }
};

template <class T>
struct ConfigValue<std::optional<T>> {
  static std::string kind() { return ConfigValue<T>::kind() + "|null"; }
  static std::string expects() { return ConfigValue<T>::expects() + " or null"; }
  static void read(const ConfigNode& node, const std::string& key, std::optional<T>& value) {
    value.reset();
    if (node.kind != ConfigNode::Kind::kNull) ConfigValue<T>::read(node, key, value.emplace());
  }
  static std::string write(const std::optional<T>& value) { return value ? ConfigValue<T>::write(*value) : "null"; }
};

template <class Range>
std::string write_list(const Range& values) {
  std::vector<std::string> spelled;
  for (const auto& value : values) spelled.push_back(ConfigValue<typename Range::value_type>::write(value));
  return fmt::format("[{}]", fmt::join(spelled, ", "));
}

template <class T>
struct ConfigValue<std::vector<T>> {
  static std::string kind() { return fmt::format("[{}, ...]", ConfigValue<T>::kind()); }
  static std::string expects() { return fmt::format("a list, each {}", ConfigValue<T>::expects()); }
  static void read(const ConfigNode& node, const std::string& key, std::vector<T>& values) {
    if (node.kind != ConfigNode::Kind::kSequence) refuse_value(node, key, expects());
    values.clear();
    for (size_t i = 0; i < node.items.size(); ++i) {
      T value{};  // not a reference into the vector: vector<bool> has none
      ConfigValue<T>::read(node.items[i], fmt::format("{}[{}]", key, i), value);
      values.push_back(std::move(value));
    }
  }
  static std::string write(const std::vector<T>& values) { return write_list(values); }
};

template <class T, size_t kSize>
struct ConfigValue<std::array<T, kSize>> {
  static std::string kind() { return fmt::format("[{} x {}]", ConfigValue<T>::kind(), kSize); }
  static std::string expects() { return fmt::format("a list of {}, each {}", kSize, ConfigValue<T>::expects()); }
  static void read(const ConfigNode& node, const std::string& key, std::array<T, kSize>& values) {
    if (node.kind != ConfigNode::Kind::kSequence) refuse_value(node, key, expects());
    if (node.items.size() != kSize) {
      refuse_value(node, key, expects(), fmt::format(" of {}", node.items.size()));
    }
    for (size_t i = 0; i < kSize; ++i) ConfigValue<T>::read(node.items[i], fmt::format("{}[{}]", key, i), values[i]);
  }
  static std::string write(const std::array<T, kSize>& values) { return write_list(values); }
};

}  // namespace sgf
