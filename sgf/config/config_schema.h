// From one description of a struct to reading, writing and help. Beside the struct stands
//   template <class V> void describe(V& v, DitConfig& m) { v.field("dim", m.dim, "width of the residual stream"); }
// and the visitors below call it; fields may be structs that are described themselves.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sgf/config/config_tree.h"
#include "sgf/config/config_value.h"

namespace sgf {

// A line of `sgf config --keys`.
struct KeyHelp {
  std::string key;  // dotted
  std::string type;
  std::string default_value;  // as YAML
  std::string help;
};

// Only asks whether `describe` can be called.
struct SchemaProbe {
  template <class T>
  void field(const char*, T&, const char*) {}
};

template <class T>
concept DescribedStruct = requires(SchemaProbe probe, T& value) {
  describe(probe, value);
};

class KeyLister {
 public:
  template <class T>
  void field(const char* name, T& value, const char* help) {
    const std::string key = join_key(section_, name);
    if constexpr (DescribedStruct<T>) {
      const std::string outer = std::exchange(section_, key);
      describe(*this, value);
      section_ = outer;
    } else {
      keys_.push_back({key, ConfigValue<T>::kind(), ConfigValue<T>::write(value), help});
    }
  }

  std::vector<KeyHelp> take_keys() { return std::move(keys_); }

 private:
  std::string section_;
  std::vector<KeyHelp> keys_;
};

class YamlWriter {
 public:
  template <class T>
  void field(const char* name, T& value, const char*) {
    if constexpr (DescribedStruct<T>) {
      yaml_ += fmt::format("{:{}}{}:\n", "", indent_, name);
      indent_ += 2;
      describe(*this, value);
      indent_ -= 2;
    } else {
      yaml_ += fmt::format("{:{}}{}: {}\n", "", indent_, name, ConfigValue<T>::write(value));
    }
  }

  std::string take_yaml() { return std::move(yaml_); }

 private:
  int indent_ = 0;
  std::string yaml_;
};

// Reads one mapping. Absent fields keep their value; unknown keys are errors.
class MappingReader {
 public:
  // `all_keys` are the keys of the whole config, for hints: a key in the wrong section is a common mistake.
  MappingReader(const ConfigNode& mapping, std::string section, const std::vector<KeyHelp>& all_keys);

  template <class T>
  void field(const char* name, T& value, const char*) {
    names_.emplace_back(name);
    const ConfigNode* node = mapping_.find(name);
    if (node == nullptr) return;
    const std::string key = join_key(section_, name);
    if constexpr (DescribedStruct<T>) {
      MappingReader reader(*node, key, all_keys_);
      describe(reader, value);
      reader.refuse_unknown_keys();
    } else {
      ConfigValue<T>::read(*node, key, value);
    }
  }

  void refuse_unknown_keys() const;

 private:
  [[noreturn]] void refuse_unknown(const ConfigEntry& entry) const;
  std::string suggest(const std::string& name) const;

  const ConfigNode& mapping_;
  std::string section_;
  const std::vector<KeyHelp>& all_keys_;
  std::vector<std::string> names_;  // of this section's fields
};

template <DescribedStruct T>
std::vector<KeyHelp> list_keys(T defaults = {}) {
  KeyLister lister;
  describe(lister, defaults);
  return lister.take_keys();
}

// Every field, in the order of the description.
template <DescribedStruct T>
std::string write_yaml(T value) {
  YamlWriter writer;
  describe(writer, value);
  return writer.take_yaml();
}

template <DescribedStruct T>
T read_tree(const ConfigNode& tree) {
  T value;
  const std::vector<KeyHelp> all_keys = list_keys<T>();
  MappingReader reader(tree, "", all_keys);
  describe(reader, value);
  reader.refuse_unknown_keys();
  return value;
}

}  // namespace sgf
