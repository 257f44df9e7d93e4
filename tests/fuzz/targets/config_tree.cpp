// YAML as a tree, of whatever settings: merging, and overrides as --set takes them, one line each.
#include "fuzz/fuzz_target.h"

#include "sgf/config/config_tree.h"
#include "sgf/config/flat_config.h"

namespace sgf::fuzz {
namespace {

constexpr const char* kName = "outside.yaml";
constexpr int kMostOverrides = 8;

void must_be_in_order(const ConfigNode& node) {
  for (const ConfigEntry& entry : node.entries) {
    must(node.find(entry.key) == &entry.value, "keys of a mapping are unique");
    must(!join_key("parent", entry.key).empty() && !describe_value(entry.value).empty(), "a value can be described");
    must_be_in_order(entry.value);
  }
  for (const ConfigNode& item : node.items) must_be_in_order(item);
}

void override_by_lines(std::string_view input) {
  ConfigNode tree{.kind = ConfigNode::Kind::kMapping};
  for (int i = 0; i < kMostOverrides && !input.empty(); ++i) {
    const std::string_view line = input.substr(0, input.find('\n'));
    input.remove_prefix(std::min(input.size(), line.size() + 1));
    do_or_refuse("--set", [&] {
      refuse_flat_override(line);
      apply_override(tree, line);
    });
    must_be_in_order(tree);
  }
}

void read(std::string_view input) {
  override_by_lines(input);
  const auto tree = read_or_refuse(kName, [&] { return parse_yaml(input, {.source = kName, .line = 1, .column = 1}); });
  if (!tree) return;
  must_be_in_order(*tree);
  ConfigNode twice = *tree;
  merge_into(twice, *tree);
  must_be_in_order(twice);
  do_or_refuse(kName, [&] { refuse_flat_keys(*tree); });
}

const Registered target("config_tree", read);

}  // namespace
}  // namespace sgf::fuzz
