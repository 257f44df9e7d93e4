// Errors of MappingReader for mappings and keys that it does not know.
#include "sgf/config/config_schema.h"

#include <algorithm>
#include <utility>

#include "sgf/core/error.h"
#include "sgf/core/nearest_name.h"

namespace sgf {
namespace {

std::string last_name(const std::string& key) { return key.substr(key.rfind('.') + 1); }

}  // namespace

MappingReader::MappingReader(const ConfigNode& mapping, std::string section, const std::vector<KeyHelp>& all_keys)
    : mapping_(mapping), section_(std::move(section)), all_keys_(all_keys) {
  // A section whose lines are all commented out is null in YAML; it keeps its defaults.
  const bool is_section = mapping.kind == ConfigNode::Kind::kMapping || mapping.kind == ConfigNode::Kind::kNull;
  if (!is_section) refuse_value(mapping, section_.empty() ? "a config" : section_, "a mapping of keys to values");
}

void MappingReader::refuse_unknown_keys() const {
  for (const ConfigEntry& entry : mapping_.entries) {
    if (std::find(names_.begin(), names_.end(), entry.key) == names_.end()) refuse_unknown(entry);
  }
}

void MappingReader::refuse_unknown(const ConfigEntry& entry) const {
  const std::string where = entry.origin.where();
  const std::string key = join_key(section_, entry.key);
  const bool is_dotted = entry.key.find('.') != std::string::npos;
  SGF_CHECK(!is_dotted, "{}: unknown key '{}'; in a file, nest the parts of a dotted key", where, key);
  if (const std::string known = suggest(entry.key); !known.empty()) {
    fail("{}: unknown key {}, did you mean {}?", where, key, known);
  }
  const std::string here = section_.empty() ? "the top level" : section_;
  fail("{}: unknown key {}; {} has {}", where, key, here, fmt::join(names_, ", "));
}

// The nearest key of this section, else of another section; empty if none is near.
std::string MappingReader::suggest(const std::string& name) const {
  if (const auto sibling = nearest_name(name, names_)) return join_key(section_, *sibling);
  std::vector<std::string> last_names;
  for (const KeyHelp& known : all_keys_) last_names.push_back(last_name(known.key));
  const auto nearest = nearest_name(name, last_names);
  if (!nearest) return "";
  const auto found = std::find(last_names.begin(), last_names.end(), *nearest);
  return all_keys_[static_cast<size_t>(found - last_names.begin())].key;
}

}  // namespace sgf
