// A config file as users write it: with bases among the presets, ours or flat, resolved and validated.
#include "fuzz/fuzz_target.h"
#include "fuzz/scratch.h"

#include "sgf/core/config.h"

namespace sgf::fuzz {
namespace {

void read(std::string_view input) {
  const std::filesystem::path path = scratch_file("configs/outside.yaml", input);
  const auto config =
      read_or_refuse("", [&] { return load_config(path, {"run.seed=7"}, {std::filesystem::path(SGF_PRESETS)}); });
  if (!config) return;
  must(config->run.seed == 7, "an override wins");
  validate(parse_config(to_yaml(*config), "again"));
}

const Registered target("config_file", read);

}  // namespace
}  // namespace sgf::fuzz
