// Reads scalars strictly: an error is better than a setting that is nearly right.
#include "sgf/config/config_value.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <system_error>

#include "sgf/config/yaml_text.h"
#include "sgf/core/error.h"
#include "sgf/core/nearest_name.h"

namespace sgf {
namespace {

bool is_plain_scalar(const ConfigNode& node) { return node.kind == ConfigNode::Kind::kScalar && !node.is_quoted; }

bool has_only(std::string_view text, std::string_view letters) {
  return text.find_first_not_of(letters) == std::string_view::npos;
}

// YAML allows a leading +, from_chars does not.
std::string_view without_plus(std::string_view text) {
  const bool drops = text.size() > 1 && text[0] == '+' && text[1] != '-';
  return drops ? text.substr(1) : text;
}

template <class T>
std::errc parse_whole(std::string_view text, T& value) {
  const std::string_view digits = without_plus(text);
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error == std::errc{} && end != digits.data() + digits.size()) return std::errc::invalid_argument;
  return error;
}

// The check for letters excludes nan, inf and hexadecimal, which from_chars accepts.
std::errc parse_double(std::string_view text, double& value) {
  return has_only(text, "0123456789.eE+-") ? parse_whole(text, value) : std::errc::invalid_argument;
}

// Decimal in YAML 1.2, octal in 1.1: ambiguous.
bool has_leading_zero(std::string_view text) {
  const size_t first_digit = text.find_first_of("0123456789");
  if (first_digit == std::string_view::npos || text[first_digit] != '0') return false;
  return first_digit + 1 < text.size() && has_only(text.substr(first_digit + 1, 1), "0123456789");
}

std::string without_separators(std::string_view text) {
  std::string digits;
  std::copy_if(text.begin(), text.end(), std::back_inserter(digits), [](char c) { return c != '_' && c != ','; });
  return digits;
}

// "write 1000": for 1e3, 1000.0, 1_000 and "1000".
std::string integer_hint(const ConfigNode& node) {
  const std::string digits = without_separators(node.text);
  double value = 0;
  constexpr double kExact = 9007199254740992.0;  // 2^53: larger doubles are not exact integers
  const bool is_number = node.kind == ConfigNode::Kind::kScalar && parse_double(digits, value) == std::errc{};
  if (!is_number || value != std::trunc(value) || std::abs(value) > kExact) return "";
  return fmt::format("; write {}", static_cast<int64_t>(value));
}

std::string number_hint(const ConfigNode& node) {
  const std::string digits = without_separators(node.text);
  double value = 0;
  const bool is_number = node.kind == ConfigNode::Kind::kScalar && parse_double(digits, value) == std::errc{};
  return is_number ? fmt::format("; write {}", digits) : "";
}

std::string bool_hint(const ConfigNode& node) {
  std::string lower = node.text;
  std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) { return std::tolower(c); });
  const auto is_one_of = [&](std::initializer_list<std::string_view> words) {
    return std::find(words.begin(), words.end(), lower) != words.end();
  };
  if (is_one_of({"true", "yes", "on", "y", "1"})) return "; write true";
  if (is_one_of({"false", "no", "off", "n", "0"})) return "; write false";
  return "";
}

}  // namespace

void refuse_value(const ConfigNode& node, std::string_view key, std::string_view expected, std::string_view hint) {
  fail("{}: {} expects {}, got {}{}", node.origin.where(), key, expected, describe_value(node), hint);
}

void ConfigValue<bool>::read(const ConfigNode& node, const std::string& key, bool& value) {
  const bool is_bool = is_plain_scalar(node) && (node.text == "true" || node.text == "false");
  if (!is_bool) refuse_value(node, key, expects(), bool_hint(node));
  value = node.text == "true";
}

void ConfigValue<int64_t>::read(const ConfigNode& node, const std::string& key, int64_t& value) {
  if (!is_plain_scalar(node)) refuse_value(node, key, expects(), integer_hint(node));
  const std::errc error = parse_whole(node.text, value);
  if (error == std::errc::result_out_of_range) refuse_value(node, key, "an integer of 64 bits");
  if (error != std::errc{} || has_leading_zero(node.text)) refuse_value(node, key, expects(), integer_hint(node));
}

void ConfigValue<double>::read(const ConfigNode& node, const std::string& key, double& value) {
  if (!is_plain_scalar(node)) refuse_value(node, key, expects(), number_hint(node));
  const std::errc error = parse_double(node.text, value);
  if (error == std::errc::result_out_of_range) refuse_value(node, key, "a number that a double can hold");
  if (error != std::errc{}) refuse_value(node, key, "a finite number", number_hint(node));
}

std::string ConfigValue<double>::write(double value) { return spell_number(value); }

void ConfigValue<std::string>::read(const ConfigNode& node, const std::string& key, std::string& value) {
  const bool is_null = node.kind == ConfigNode::Kind::kNull;
  if (is_null) refuse_value(node, key, expects(), "; write \"\" for empty text");
  if (node.kind != ConfigNode::Kind::kScalar) refuse_value(node, key, expects(), "; put the text in quotes");
  value = node.text;
}

std::string ConfigValue<std::string>::write(const std::string& value) { return spell_text(value); }

std::string read_choice(const ConfigNode& node, const std::string& key, const std::vector<std::string>& names) {
  const bool is_known = std::find(names.begin(), names.end(), node.text) != names.end();
  if (node.kind == ConfigNode::Kind::kScalar && is_known) return node.text;
  const auto nearest = nearest_name(node.text, names);
  const std::string hint = nearest ? fmt::format("; did you mean {}?", *nearest) : "";
  refuse_value(node, key, fmt::format("one of {}", fmt::join(names, ", ")), hint);
}

}  // namespace sgf
