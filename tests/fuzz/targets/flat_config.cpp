// Flat Self-Forcing-style configs: every key is accounted for, and what they become is a tree of ours.
#include "fuzz/fuzz_target.h"

#include "sgf/config/config_tree.h"
#include "sgf/config/flat_config.h"

namespace sgf::fuzz {
namespace {

constexpr const char* kName = "outside.yaml";

void read(std::string_view input) {
  const auto tree = read_or_refuse(kName, [&] { return parse_yaml(input, {.source = kName, .line = 1, .column = 1}); });
  if (!tree || !is_flat_config(*tree)) return;
  const auto flat = read_or_refuse(kName, [&] { return translate_flat(*tree); });
  if (!flat) return;
  must(flat->tree.kind == ConfigNode::Kind::kMapping, "a flat config becomes sections");
  for (const ConfigEntry& entry : tree->entries) {
    const auto is_about = [&](const FlatNote& note) { return note.key.starts_with(entry.key); };
    const bool is_section = entry.value.kind == ConfigNode::Kind::kMapping || entry.key == "model_kwargs";
    must(is_section || std::ranges::any_of(flat->notes, is_about), "every key of a flat config has a note");
  }
}

const Registered target("flat_config", read);

}  // namespace
}  // namespace sgf::fuzz
