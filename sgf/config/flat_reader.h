// Reads a flat Self-Forcing-style file key by key, and gathers what becomes of it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sgf/config/config_value.h"
#include "sgf/config/flat_keys.h"
#include "sgf/config/flat_translation.h"

namespace sgf {

// All rows of a key; none where it is not known.
std::vector<FlatKey> flat_rows_of(std::string_view key);

// Whether a value is the expected one, numbers by value: 0 and 0.0 are one.
bool is_flat_value(const ConfigNode& node, std::string_view expected);

// A text value as the file would have it.
ConfigNode flat_scalar(std::string text, const Origin& origin);

// The part before the first dot.
std::string first_part(std::string_view dotted);

// Python's True and False are YAML's there.
ConfigNode with_plain_bool(ConfigNode node);

class FlatReader {
 public:
  explicit FlatReader(const ConfigNode& flat);

  // Every key that needs no other to be understood. An unknown one is refused where it looks like a slip of a known
  // one; others belong to some fork, and are noted as not used.
  void take_keys();
  // A word for every key that took part without one of its own.
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
  const Origin& origin_of(std::string_view key) const;  // of the file where it lacks the key

  void stand_on(std::string preset) { out_.preset = std::move(preset); }
  // Our key gets a value, without a word or with a note under the file's key.
  void put(std::string_view ours, const ConfigNode& value);
  void set(std::string_view ours, const std::string& value, std::string_view key, const std::string& remark = "");
  void note(std::string_view key, std::string ours, std::string_view remark);

 private:
  void take(const std::string& key, const ConfigNode& node);

  const ConfigNode& flat_;
  std::vector<ConfigEntry> keys_;  // dotted
  FlatTranslation out_;
};

}  // namespace sgf
