#include "sgf/config/flat_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "sgf/config/yaml_text.h"
#include "sgf/core/error.h"
#include "sgf/core/nearest_name.h"

namespace sgf {
namespace {

constexpr std::string_view kNestedKeys = "model_kwargs";

// model_kwargs: {sink_size: 3} as "model_kwargs.sink_size".
std::vector<ConfigEntry> with_dotted_keys(const ConfigNode& flat) {
  std::vector<ConfigEntry> dotted;
  for (const ConfigEntry& entry : flat.entries) {
    if (entry.key != kNestedKeys) {
      dotted.push_back(entry);
      continue;
    }
    const ConfigNode::Kind kind = entry.value.kind;
    SGF_CHECK(kind == ConfigNode::Kind::kMapping || kind == ConfigNode::Kind::kNull, "{}: {} expects a mapping, got {}",
              entry.origin.where(), kNestedKeys, describe_value(entry.value));
    for (const ConfigEntry& inner : entry.value.entries)
      dotted.push_back({join_key(kNestedKeys, inner.key), inner.origin, inner.value});
  }
  return dotted;
}

ConfigNode mapping_of(const std::string& key, ConfigNode value) {
  ConfigNode outer;
  outer.kind = ConfigNode::Kind::kMapping;
  outer.origin = value.origin;
  outer.entries.push_back({key, value.origin, std::move(value)});
  return outer;
}

// {a: {b: value}} for "a.b".
ConfigNode nested_under(std::string_view dotted, const ConfigNode& value) {
  const size_t dot = dotted.find('.');
  if (dot == std::string_view::npos) return mapping_of(std::string(dotted), value);
  return mapping_of(first_part(dotted), nested_under(dotted.substr(dot + 1), value));
}

// An edit distance of one or two letters is a typing error, not a key of a fork.
void refuse_near_miss(const std::string& key, const Origin& origin) {
  constexpr int64_t kSlip = 2;
  std::vector<std::string> known;
  for (const FlatKey& row : flat_keys()) known.emplace_back(row.key);
  const auto nearest = nearest_name(key, known);
  SGF_CHECK(!nearest || edit_distance(key, *nearest) > kSlip,
            "{}: unknown key {} in a flat, Self-Forcing-style config, did you mean {}?", origin.where(), key,
            nearest.value_or(""));
}

}  // namespace

std::vector<FlatKey> flat_rows_of(std::string_view key) {
  std::vector<FlatKey> rows;
  for (const FlatKey& row : flat_keys())
    if (row.key == key) rows.push_back(row);
  return rows;
}

bool is_flat_value(const ConfigNode& node, std::string_view expected) {
  const auto number = [](std::string_view text, double& value) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc() && end == text.data() + text.size();
  };
  double came = 0, wanted = 0;
  if (number(node.text, came) && number(expected, wanted)) return came == wanted;
  if (node.kind == ConfigNode::Kind::kNull) return expected == "null";
  return node.kind == ConfigNode::Kind::kScalar && node.text == expected;
}

ConfigNode flat_scalar(std::string text, const Origin& origin) {
  ConfigNode node;
  node.kind = ConfigNode::Kind::kScalar;
  node.text = std::move(text);
  node.origin = origin;
  return node;
}

std::string first_part(std::string_view dotted) { return std::string(dotted.substr(0, dotted.find('.'))); }

ConfigNode with_plain_bool(ConfigNode node) {
  if (node.is_quoted) return node;
  if (node.text == "True" || node.text == "TRUE") node.text = "true";
  if (node.text == "False" || node.text == "FALSE") node.text = "false";
  return node;
}

FlatReader::FlatReader(const ConfigNode& flat) : flat_(flat), keys_(with_dotted_keys(flat)) {
  out_.tree.kind = ConfigNode::Kind::kMapping;
  out_.tree.origin = flat.origin;
}

const ConfigNode* FlatReader::find(std::string_view key) const {
  if (!key.starts_with(std::string(kNestedKeys) + '.')) return flat_.find(key);
  const ConfigNode* nested = flat_.find(kNestedKeys);
  return nested == nullptr ? nullptr : nested->find(key.substr(kNestedKeys.size() + 1));
}

const Origin& FlatReader::origin_of(std::string_view key) const {
  const ConfigNode* node = find(key);
  return node == nullptr ? flat_.origin : node->origin;
}

void FlatReader::put(std::string_view ours, const ConfigNode& value) {
  merge_into(out_.tree, nested_under(ours, value));
}

void FlatReader::set(std::string_view ours, const std::string& value, std::string_view key, const std::string& remark) {
  put(ours, flat_scalar(value, origin_of(key)));
  note(find(key) == nullptr ? fmt::format("({})", key) : std::string(key), fmt::format("{}: {}", ours, value), remark);
}

void FlatReader::note(std::string_view key, std::string ours, std::string_view remark) {
  out_.notes.push_back({std::string(key), std::move(ours), std::string(remark)});
}

void FlatReader::take_keys() {
  for (const ConfigEntry& entry : keys_) take(entry.key, entry.value);
}

void FlatReader::note_the_rest() {
  for (const ConfigEntry& entry : keys_) {
    const auto is_of_key = [&](const FlatNote& n) { return n.key == entry.key; };
    if (std::none_of(out_.notes.begin(), out_.notes.end(), is_of_key))
      note(entry.key, std::string(flat_rows_of(entry.key)[0].ours), "");
  }
}

void FlatReader::take(const std::string& key, const ConfigNode& raw) {
  const ConfigNode node = with_plain_bool(raw);
  const std::vector<FlatKey> rows = flat_rows_of(key);
  if (rows.empty()) {
    refuse_near_miss(key, raw.origin);
    note(key, "", "ignored: unknown key, perhaps of a fork; it has no effect");
  }
  for (const FlatKey& row : rows) {
    if (row.use == FlatUse::kSame) {
      put(row.ours, node);
      note(key, std::string(row.ours), row.remark);
    } else if (row.use == FlatUse::kOnly) {
      SGF_CHECK(is_flat_value(node, row.ours), "{}: {} {} is not supported, only {}: {}", node.origin.where(), key,
                describe_value(node), row.ours, row.remark);
      note(key, "", row.remark);
    } else if (row.use == FlatUse::kUnused) {
      note(key, "", row.remark);
    }
  }
}

}  // namespace sgf
