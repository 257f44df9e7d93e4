// config.json of a Wan folder, and of a recording.
#include "fuzz/fuzz_target.h"

#include "sgf/model/dit_config.h"

namespace sgf::fuzz {
namespace {

constexpr const char* kName = "config.json";

void read(std::string_view input) {
  const auto config = read_or_refuse(kName, [&] { return dit_config_from_json(input, kName); });
  if (!config) return;
  must(dit_config_from_json(to_json(*config), kName) == *config, "written and read again, a config is equal");
}

const Registered target("wan_config", read);

}  // namespace
}  // namespace sgf::fuzz
