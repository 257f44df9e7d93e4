// JSON of others: limits hold, and what is read is written and read again.
#include "fuzz/fuzz_target.h"

#include "sgf/files/strict_json.h"

#include <nlohmann/json.hpp>

namespace sgf::fuzz {
namespace {

constexpr const char* kName = "outside.json";
constexpr JsonLimits kLimits{.depth = 8, .array_length = 4096};

void read(std::string_view input) {
  const auto json = read_or_refuse(kName, [&] { return parse_strict_json(input, kName, kLimits); });
  if (!json) return;
  must(nlohmann::json::accept(input), "what is taken for JSON is JSON");
  must(parse_strict_json(json->dump(), kName, kLimits) == *json, "written and read again, it is equal");
}

const Registered target("strict_json", read);

}  // namespace
}  // namespace sgf::fuzz
