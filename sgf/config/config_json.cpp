// A config as JSON, and the JSON Schema of config files, from the same description that reads and writes YAML.
#include "sgf/config/config.h"

#include <nlohmann/json.hpp>

#include <array>
#include <optional>
#include <ranges>
#include <type_traits>
#include <utility>
#include <vector>

namespace sgf {
namespace {

using Json = nlohmann::ordered_json;

template <class T>
Json json_value(const T& value) {
  if constexpr (NamedEnum<T>) {
    return enum_name(value);
  } else if constexpr (std::ranges::range<T> && !std::is_same_v<T, std::string>) {
    Json list = Json::array();
    for (const auto& item : value) list.push_back(json_value(item));
    return list;
  } else {
    return value;
  }
}

template <class T>
Json json_value(const std::optional<T>& value) {
  return value ? json_value(*value) : Json(nullptr);
}

class JsonWriter {
 public:
  template <class T>
  void field(const char* name, T& value, const char*) {
    if constexpr (DescribedStruct<T>) {
      JsonWriter section;
      describe(section, value);
      object_[name] = section.take_object();
    } else {
      object_[name] = json_value(value);
    }
  }

  Json take_object() { return std::move(object_); }

 private:
  Json object_ = Json::object();
};

// A value of each type that a config may hold; what C++ calls it, JSON Schema calls otherwise.
template <class T>
struct SchemaOf {
  static Json type() {
    if constexpr (NamedEnum<T>) {
      Json names = Json::array();
      for (const auto& known : enum_names(T{})) names.push_back(known.name);
      return {{"enum", std::move(names)}};
    } else {
      static_assert(std::is_same_v<T, bool> || std::is_arithmetic_v<T> || std::is_same_v<T, std::string>);
      return {{"type", std::is_same_v<T, bool>          ? "boolean"
                       : std::is_same_v<T, std::string> ? "string"
                       : std::is_integral_v<T>          ? "integer"
                                                        : "number"}};
    }
  }
};

template <class T>
struct SchemaOf<std::optional<T>> {
  static Json type() { return {{"anyOf", Json::array({SchemaOf<T>::type(), Json{{"type", "null"}}})}}; }
};

template <class T>
struct SchemaOf<std::vector<T>> {
  static Json type() { return {{"type", "array"}, {"items", SchemaOf<T>::type()}}; }
};

template <class T, size_t kSize>
struct SchemaOf<std::array<T, kSize>> {
  static Json type() {
    return {{"type", "array"}, {"items", SchemaOf<T>::type()}, {"minItems", kSize}, {"maxItems", kSize}};
  }
};

class SchemaWriter {
 public:
  template <class T>
  void field(const char* name, T& value, const char* help) {
    Json& property = properties_[name];
    if constexpr (DescribedStruct<T>) {
      SchemaWriter section;
      describe(section, value);
      property = {{"type", Json::array({"object", "null"})}};  // a section without keys changes nothing
      property["description"] = help;
      property["properties"] = section.take_properties();
      property["additionalProperties"] = false;
    } else {
      property = SchemaOf<T>::type();
      property["description"] = help;
      property["default"] = json_value(value);
    }
  }

  Json take_properties() { return std::move(properties_); }

 private:
  Json properties_ = Json::object();
};

// `base` is about files, and in no description.
Json base_schema() {
  return {{"description", "preset or file that this config changes, or a list of them"},
          {"anyOf", Json::array({Json{{"type", "string"}}, Json{{"type", "array"}, {"items", {{"type", "string"}}}}})}};
}

}  // namespace

std::string to_json(const Config& config) {
  Config copy = config;  // describe() needs a mutable object
  JsonWriter writer;
  describe(writer, copy);
  return writer.take_object().dump();
}

std::string json_schema() {
  Config defaults;
  SchemaWriter writer;
  describe(writer, defaults);
  Json properties{{"base", base_schema()}};
  properties.update(writer.take_properties());
  const Json schema{{"$schema", "https://json-schema.org/draft/2020-12/schema"},
                    {"title", "Config of sgf"},
                    {"type", "object"},
                    {"properties", std::move(properties)},
                    {"additionalProperties", false}};
  return schema.dump(2);
}

}  // namespace sgf
