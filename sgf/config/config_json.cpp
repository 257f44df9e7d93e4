// A config as JSON, from the same description that reads and writes its YAML.
#include "sgf/config/config.h"

#include <nlohmann/json.hpp>

#include <ranges>

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

}  // namespace

std::string to_json(const Config& config) {
  Config copy = config;  // describe() needs a mutable object
  JsonWriter writer;
  describe(writer, copy);
  return writer.take_object().dump();
}

}  // namespace sgf
