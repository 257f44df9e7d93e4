// Reads a flat Self-Forcing-style file key by key, and collects the translated tree and the notes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sgf/config/config_value.h"
#include "sgf/config/flat_config.h"
#include "sgf/config/flat_keys.h"

namespace sgf {

// All rows of a key; none if it is unknown.
std::vector<FlatKey> flat_rows_of(std::string_view key);

// Whether a value is the expected one; numbers compare by value: 0 equals 0.0.
bool is_flat_value(const ConfigNode& node, std::string_view expected);

// A text value as a node.
ConfigNode flat_scalar(std::string text, const Origin& origin);

// The part before the first dot.
std::string first_part(std::string_view dotted);

// These files are read by Python's YAML, where True and False are booleans.
ConfigNode with_plain_bool(ConfigNode node);

class FlatReader {
 public:
  explicit FlatReader(const ConfigNode& flat);

  // Takes every key that does not depend on others. An unknown key is an error if it looks like a misspelt known one;
  // others belong to a fork and are noted as unused.
  void take_keys();
  // Adds a note for every key that was used but has none yet.
  void note_the_rest();
  FlatTranslation result() && { return std::move(out_); }

  const ConfigNode& file() const { return flat_; }
  const ConfigNode* find(std::string_view key) const;  // dotted within model_kwargs
  bool has(std::string_view key) const { return find(key) != nullptr; }
  template <class T>
  T value_or(std::string_view key, T otherwise) const {
    if (const ConfigNode* node = find(key)) ConfigValue<T>::read(with_plain_bool(*node), std::string(key), otherwise);
    return otherwise;
  }
  const Origin& origin_of(std::string_view key) const;  // the file's origin if it lacks the key

  void stand_on(std::string preset) { out_.preset = std::move(preset); }
  // The first reason counts.
  void refuse_training(std::string reason) {
    if (trains()) out_.not_for_training = std::move(reason);
  }
  bool trains() const { return out_.not_for_training.empty(); }
  // Gives our key a value, without a note (put) or with one under the file's key (set).
  void put(std::string_view ours, const ConfigNode& value);
  void put(std::string_view ours, const std::string& value) { put(ours, flat_scalar(value, flat_.origin)); }
  void set(std::string_view ours, const std::string& value, std::string_view key, const std::string& remark = "");
  void note(std::string_view key, std::string ours, std::string_view remark);

 private:
  void take(const std::string& key, const ConfigNode& node);

  const ConfigNode& flat_;
  std::vector<ConfigEntry> keys_;  // dotted
  FlatTranslation out_;
};

}  // namespace sgf
