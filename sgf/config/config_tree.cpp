// Merging and overriding of config trees; yaml_parser.cpp builds them from text.
#include "sgf/config/config_tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "sgf/core/error.h"
#include "sgf/core/in_quotes.h"

namespace sgf {
namespace {

constexpr size_t kDeepestKey = 32;  // as deep as YAML may nest

// {a: {b: value}} for the keys a, b.
ConfigNode nest(const std::vector<std::string>& keys, ConfigNode value, const Origin& origin) {
  for (auto key = keys.rbegin(); key != keys.rend(); ++key) {
    ConfigNode outer;
    outer.kind = ConfigNode::Kind::kMapping;
    outer.origin = origin;
    outer.entries.push_back({*key, origin, std::move(value)});
    value = std::move(outer);
  }
  return value;
}

std::vector<std::string> split_key(std::string_view dotted) {
  std::vector<std::string> keys;
  size_t start = 0;
  for (size_t dot = dotted.find('.'); dot != std::string_view::npos; dot = dotted.find('.', start)) {
    keys.emplace_back(dotted.substr(start, dot - start));
    start = dot + 1;
  }
  keys.emplace_back(dotted.substr(start));
  return keys;
}

}  // namespace

std::string Origin::where() const { return line == 0 ? source : fmt::format("{}:{}", source, line); }

const ConfigNode* ConfigNode::find(std::string_view key) const {
  const auto found = std::find_if(entries.begin(), entries.end(), [&](const ConfigEntry& e) { return e.key == key; });
  return found == entries.end() ? nullptr : &found->value;
}

ConfigNode* ConfigNode::find(std::string_view key) {
  return const_cast<ConfigNode*>(std::as_const(*this).find(key));  // valid: this node is not const
}

void merge_into(ConfigNode& base, ConfigNode over) {
  const bool base_is_mapping = base.kind == ConfigNode::Kind::kMapping;
  if (base_is_mapping && over.kind == ConfigNode::Kind::kNull) return;
  if (!base_is_mapping || over.kind != ConfigNode::Kind::kMapping) {
    base = std::move(over);
    return;
  }
  for (ConfigEntry& entry : over.entries) {
    if (ConfigNode* known = base.find(entry.key)) {
      merge_into(*known, std::move(entry.value));
    } else {
      base.entries.push_back(std::move(entry));
    }
  }
}

void apply_override(ConfigNode& tree, std::string_view assignment) {
  const Origin origin{.source = fmt::format("--set {}", assignment)};
  const size_t equals = assignment.find('=');
  SGF_CHECK(equals != std::string_view::npos, "{}: expected key=value", origin.where());
  const std::vector<std::string> keys = split_key(assignment.substr(0, equals));
  const bool has_empty = std::any_of(keys.begin(), keys.end(), [](const std::string& key) { return key.empty(); });
  SGF_CHECK(!has_empty, "{}: expected a dotted key such as model.dim before the =", origin.where());
  SGF_CHECK(keys.size() <= kDeepestKey, "--set: a key must have at most {} parts, got {}", kDeepestKey, keys.size());
  merge_into(tree, nest(keys, parse_yaml(assignment.substr(equals + 1), origin), origin));
}

std::string join_key(std::string_view parent, std::string_view key) {
  return parent.empty() ? std::string(key) : fmt::format("{}.{}", parent, key);
}

std::string describe_value(const ConfigNode& node) {
  switch (node.kind) {
    case ConfigNode::Kind::kNull:
      return "nothing";
    case ConfigNode::Kind::kSequence:
      return "a list";
    case ConfigNode::Kind::kMapping:
      return "a mapping";
    case ConfigNode::Kind::kScalar:
      break;
  }
  return node.is_quoted ? fmt::format("the text {}", in_quotes(node.text)) : in_quotes(node.text);
}

}  // namespace sgf
