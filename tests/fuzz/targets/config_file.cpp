// A config file as users write it: with bases among the presets, ours or flat, resolved and validated.
#include "fuzz/fuzz_target.h"
#include "fuzz/scratch.h"

#include "sgf/config/config.h"

namespace sgf::fuzz {
namespace {

// Presets of a few lines: the program's own take most of the time, and stay as they are.
std::filesystem::path write_presets() {
  scratch_file("presets/tiny.yaml", "name: tiny\nmodel: {dim: 64, num_heads: 2, num_layers: 2}\n");
  scratch_file("presets/wan-1.3b.yaml", "base: tiny\nname: wan\n");
  return scratch_folder() / "presets";
}

void read(std::string_view input) {
  static const std::filesystem::path presets = write_presets();
  const std::filesystem::path path = scratch_file("configs/outside.yaml", input);
  const auto config = read_or_refuse("", [&] { return load_config(path, {"run.seed=7"}, {presets}); });
  if (!config) return;
  must(config->run.seed == 7, "an override wins");
  validate(parse_config(to_yaml(*config), "again"));
}

const Registered target("config_file", read);

}  // namespace
}  // namespace sgf::fuzz
