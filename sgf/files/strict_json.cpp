// Builds the document with nlohmann's own handler, behind a guard that checks keys, depth and lengths. (nlohmann's
// parser callback could do the same, but it searches the parent at the end of every object: quadratic in tensors.)
#include "sgf/files/strict_json.h"

#include "sgf/core/error.h"
#include "sgf/core/in_quotes.h"
#include "sgf/core/out_of_memory.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <set>
#include <type_traits>
#include <vector>

namespace sgf {
namespace {

using nlohmann::json;

class Guard {
 public:
  Guard(const std::string& source, JsonLimits limits) : source_(source), limits_(limits) {}

  void enter(bool is_array) {
    count_element();
    SGF_CHECK(open_.size() < limits_.depth, "{}: JSON is nested deeper than {}", source_, limits_.depth);
    open_.push_back({.is_array = is_array, .elements = 0, .keys = {}});
  }

  void leave() { open_.pop_back(); }

  void count_element() {
    if (open_.empty() || !open_.back().is_array) return;
    SGF_CHECK(++open_.back().elements <= limits_.array_length, "{}: a JSON array is longer than {}", source_,
              limits_.array_length);
  }

  void see_key(const std::string& key) {
    const bool is_new = open_.back().keys.insert(key).second;
    SGF_CHECK(is_new, "{}: the key {} appears twice", source_, in_quotes(key));
  }

 private:
  struct Container {
    bool is_array = false;
    size_t elements = 0;
    std::set<std::string> keys;
  };

  const std::string& source_;
  JsonLimits limits_;
  std::vector<Container> open_;
};

// "line 1, column 3" after this many bytes. A column is a byte; that of a line break is 0.
std::string place_in_json(std::string_view text, size_t bytes_read) {
  const std::string_view before = text.substr(0, bytes_read);
  const size_t line_begin = before.rfind('\n') + 1;  // 0 without a line break
  return fmt::format("line {}, column {}", 1 + std::ranges::count(before, '\n'), bytes_read - line_begin);
}

// nlohmann's SAX interface: every event passes the guard and then builds the document.
template <class Json>
class GuardedBuilder {
 public:
  GuardedBuilder(Json& document, std::string_view text, const std::string& source, JsonLimits limits)
      : build_(document), guard_(source, limits), text_(text), source_(source) {}

  bool null() {
    return value([&] { return build_.null(); });
  }
  bool boolean(bool v) {
    return value([&] { return build_.boolean(v); });
  }
  bool number_integer(json::number_integer_t v) {
    return value([&] { return build_.number_integer(v); });
  }
  bool number_unsigned(json::number_unsigned_t v) {
    return value([&] { return build_.number_unsigned(v); });
  }
  bool number_float(json::number_float_t v, const std::string& text) {
    return value([&] { return build_.number_float(v, text); });
  }
  bool string(std::string& v) {
    return value([&] { return build_.string(v); });
  }
  bool binary(json::binary_t& v) {
    return value([&] { return build_.binary(v); });
  }

  bool start_object(size_t size) { return guard_.enter(/*is_array=*/false), build_.start_object(size); }
  bool start_array(size_t size) { return guard_.enter(/*is_array=*/true), build_.start_array(size); }
  bool key(std::string& name) { return guard_.see_key(name), build_.key(name); }
  bool end_object() { return guard_.leave(), build_.end_object(); }
  bool end_array() { return guard_.leave(), build_.end_array(); }

  // `bytes_read` counts the end of the text as one. Leaves out the library's own words: they quote the file.
  template <class Exception>
  bool parse_error(size_t bytes_read, const std::string&, const Exception& error) {
    constexpr bool is_syntax = std::is_same_v<Exception, json::parse_error>;  // else a number too large for a double
    fail("{}: not valid JSON: {}", source_,
         is_syntax ? "parse error at " + place_in_json(text_, bytes_read) : in_quotes(json_complaint(error.what())));
  }

 private:
  template <class Build>
  bool value(Build build) {
    guard_.count_element();
    return build();
  }

  nlohmann::detail::json_sax_dom_parser<Json> build_;
  Guard guard_;
  std::string_view text_;
  const std::string& source_;
};

template <class Json>
Json parse_guarded(std::string_view text, const std::string& source, JsonLimits limits) {
  // The parser would take a zero byte for the end and ignore the rest.
  SGF_CHECK(text.find('\0') == std::string_view::npos, "{}: not valid JSON: it contains a zero byte", source);
  Json document;
  GuardedBuilder<Json> builder(document, text, source, limits);
  try {
    Json::sax_parse(text, &builder);
  } catch (const std::bad_alloc& error) {
    rethrow_out_of_memory(error, "reading the JSON of " + source);
  }
  return document;
}

}  // namespace

std::string json_complaint(const std::string& what) {
  const size_t tag = what.starts_with("[json.exception.") ? what.find("] ") : std::string::npos;
  return tag == std::string::npos ? what : what.substr(tag + 2);
}

nlohmann::json parse_strict_json(std::string_view text, const std::string& source, JsonLimits limits) {
  return parse_guarded<nlohmann::json>(text, source, limits);
}

nlohmann::ordered_json parse_strict_ordered_json(std::string_view text, const std::string& source, JsonLimits limits) {
  return parse_guarded<nlohmann::ordered_json>(text, source, limits);
}

std::optional<nlohmann::json> try_parse_json(std::string_view text, JsonLimits limits) {
  try {
    return parse_strict_json(text, "", limits);
  } catch (const Error&) {
    return std::nullopt;
  }
}

}  // namespace sgf
