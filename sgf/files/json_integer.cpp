#include "sgf/files/json_integer.h"

#include <nlohmann/json.hpp>

namespace sgf {

using nlohmann::json;

int64_t integer_of(const json& value) {
  const bool fits = value.is_number_integer() && (!value.is_number_unsigned() || value.get<uint64_t>() <= INT64_MAX);
  if (!fits) throw json::type_error::create(302, "type must be an integer of 64 bits, but is " + value.dump(), &value);
  return value.get<int64_t>();
}

std::vector<int64_t> integers_of(const json& value) {
  if (!value.is_array()) throw json::type_error::create(302, "type must be an array of integers", &value);
  std::vector<int64_t> integers;
  for (const json& one : value) integers.push_back(integer_of(one));
  return integers;
}

}  // namespace sgf
