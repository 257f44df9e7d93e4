// Reads values by key from files that raters send back, with an error for each missing or invalid value. Torch-free.
#pragma once

#include "sgf/core/error.h"

#include <nlohmann/json.hpp>

#include <filesystem>
#include <string>

namespace sgf {

class PreferenceReader {
 public:
  PreferenceReader(const nlohmann::json& document, std::string place) : json_(document), place_(std::move(place)) {
    SGF_CHECK(json_.is_object(), "{}: expected an object, got {}", place_, json_.dump().substr(0, 60));
  }

  template <class T>
  T read(const char* key) const {
    SGF_CHECK(json_.contains(key), "{}: lacks \"{}\"", place_, key);
    try {
      return json_.at(key).get<T>();
    } catch (const nlohmann::json::exception&) {
      fail("{}: \"{}\" has the wrong type: {}", place_, key, json_.at(key).dump().substr(0, 60));
    }
  }

  std::string read_sha256(const char* key) const;
  nlohmann::json::array_t read_list(const char* key) const;  // at least one entry

  const nlohmann::json& json() const { return json_; }
  const std::string& place() const { return place_; }

 private:
  const nlohmann::json& json_;
  std::string place_;
};

// A whole file; `mark` is the key with its kind and version.
nlohmann::json read_preference_file(const std::filesystem::path& path, const char* mark, const char* what);

}  // namespace sgf
