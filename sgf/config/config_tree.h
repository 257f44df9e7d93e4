// A config file as a tree of untyped values, each with the place where it was written.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sgf {

// Where a value was written. Overrides have no lines: their source is the whole flag, and line is 0.
struct Origin {
  std::string source;
  int64_t line = 0;    // from 1
  int64_t column = 0;  // from 1

  std::string where() const;  // "my.yaml:12" or "--set model.dim=96"
};

struct ConfigEntry;

struct ConfigNode {
  enum class Kind { kNull, kScalar, kSequence, kMapping };

  Kind kind = Kind::kNull;
  Origin origin;
  std::string text;                  // of a scalar
  bool is_quoted = false;            // quoted scalars are always text
  std::vector<ConfigNode> items;     // of a sequence
  std::vector<ConfigEntry> entries;  // of a mapping, in the order of the file; keys are unique

  ConfigNode* find(std::string_view key);
  const ConfigNode* find(std::string_view key) const;
};

struct ConfigEntry {
  std::string key;
  Origin origin;  // of the key
  ConfigNode value;
};

// `first` is where the text begins; with line 0, lines are not counted. Rejects YAML that a config does not need or
// that could hide a mistake: duplicate keys, several documents, anchors, tags, keys that are not words.
ConfigNode parse_yaml(std::string_view text, const Origin& first);

// `over` overrides: mappings merge key by key, other values are replaced. An empty section changes nothing.
void merge_into(ConfigNode& base, ConfigNode over);

// "model.dim=96": merges the value, read as YAML, into the tree under the dotted key.
void apply_override(ConfigNode& tree, std::string_view assignment);

std::string join_key(std::string_view parent, std::string_view key);

// Describes a value in messages: "'wide'", "a list".
std::string describe_value(const ConfigNode& node);

}  // namespace sgf
