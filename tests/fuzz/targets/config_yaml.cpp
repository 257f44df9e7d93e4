// Our own configs: what is read is spelled so that it reads the same, here and after an override.
#include "fuzz/fuzz_target.h"

#include "sgf/config/config.h"
#include "sgf/runs/run_folder.h"

#include <nlohmann/json.hpp>

namespace sgf::fuzz {
namespace {

constexpr const char* kName = "outside.yaml";

void read(std::string_view input) {
  const auto config = read_or_refuse(kName, [&] { return parse_config(input, kName); });
  if (!config) return;
  const std::string spelled = to_yaml(*config);
  const Config again = parse_config(spelled, kName);
  must(again == *config, "written and read again, a config is equal");
  must(to_yaml(again) == spelled, "an equal config is spelled in the same bytes");
  must(compare_configs(spelled, to_yaml(again)).empty(), "a config differs from itself in no setting");
  must(nlohmann::json::accept(to_json(*config)), "a config as JSON is JSON");
  do_or_refuse("", [&] { validate(*config); });
}

const Registered target("config_yaml", read);

}  // namespace
}  // namespace sgf::fuzz
