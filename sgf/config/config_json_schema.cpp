// A JSON Schema of config files, by the same description that reads them.
#include "sgf/config/config.h"

#include <nlohmann/json.hpp>

#include <array>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

namespace sgf {
namespace {

using Json = nlohmann::ordered_json;

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
  explicit SchemaWriter(const Json& defaults) : defaults_(defaults) {}

  template <class T>
  void field(const char* name, T& value, const char* help) {
    Json& property = properties_[name];
    if constexpr (DescribedStruct<T>) {
      SchemaWriter section(defaults_.at(name));
      describe(section, value);
      property = {{"type", Json::array({"object", "null"})}};  // a section without keys changes nothing
      property["description"] = help;
      property["properties"] = section.take_properties();
      property["additionalProperties"] = false;
    } else {
      property = SchemaOf<T>::type();
      property["description"] = help;
      property["default"] = defaults_.at(name);
    }
  }

  Json take_properties() { return std::move(properties_); }

 private:
  const Json& defaults_;
  Json properties_ = Json::object();
};

// `base` is about files, and in no description.
Json base_schema() {
  return {{"description", "preset or file that this config changes, or a list of them"},
          {"anyOf", Json::array({Json{{"type", "string"}}, Json{{"type", "array"}, {"items", {{"type", "string"}}}}})}};
}

}  // namespace

std::string json_schema() {
  Config defaults;
  const Json values = Json::parse(to_json(defaults));
  SchemaWriter writer(values);
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
