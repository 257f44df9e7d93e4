#include "sgf/weights/adapter_config.h"

#include "sgf/core/error.h"
#include "sgf/core/in_quotes.h"
#include "sgf/files/strict_json.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace sgf {
namespace {

using OrderedJson = nlohmann::ordered_json;  // of two patterns that match, PEFT takes the first

constexpr int64_t kHighestRank = 1 << 20;

// PEFT matches a pattern against the whole name or its end from a dot on.
bool names_module(std::string_view pattern, std::string_view module) {
  if (module == pattern) return true;
  return module.size() > pattern.size() && module.ends_with(pattern) &&
         module[module.size() - pattern.size() - 1] == '.';
}

template <class Value>
std::optional<Value> value_for(const std::vector<std::pair<std::string, Value>>& patterns, std::string_view module,
                               const std::optional<Value>& otherwise) {
  const auto found =
      std::ranges::find_if(patterns, [&](const auto& pattern) { return names_module(pattern.first, module); });
  return found == patterns.end() ? otherwise : std::optional<Value>(found->second);
}

class AdapterReader {
 public:
  AdapterReader(const OrderedJson& root, const std::string& source, const std::string& prefix)
      : root_(root), source_(source), prefix_(prefix) {}

  // nullptr if the key is absent or null.
  const OrderedJson* find(const std::string& key) const {
    const auto found = root_.find(prefix_ + key);
    return found == root_.end() || found->is_null() ? nullptr : &*found;
  }

  int64_t rank(const std::string& key, const OrderedJson& value) const {
    const bool fits = value.is_number_integer() &&
                      (!value.is_number_unsigned() || value.get<uint64_t>() <= kHighestRank) &&
                      value.get<int64_t>() >= 1 && value.get<int64_t>() <= kHighestRank;
    SGF_CHECK(fits, "{}: {} must be an integer from 1 to {}, got {}", source_, key, kHighestRank,
              in_quotes(value.dump()));
    return value.get<int64_t>();
  }

  double alpha(const std::string& key, const OrderedJson& value) const {
    SGF_CHECK(value.is_number() && std::isfinite(value.get<double>()), "{}: {} must be a number, got {}", source_, key,
              in_quotes(value.dump()));
    return value.get<double>();
  }

  bool flag(const std::string& key) const {
    const OrderedJson* value = find(key);
    if (value == nullptr) return false;
    SGF_CHECK(value->is_boolean(), "{}: {} must be true or false, got {}", source_, key, in_quotes(value->dump()));
    return value->get<bool>();
  }

  template <class Value, class Read>
  void patterns(const std::string& key, std::vector<std::pair<std::string, Value>>& out, const Read& read) const {
    const OrderedJson* object = find(key);
    if (object == nullptr) return;
    SGF_CHECK(object->is_object(), "{}: {} must be an object, got {}", source_, key, in_quotes(object->dump()));
    for (const auto& [name, value] : object->items()) {
      SGF_CHECK(name.find_first_of("\\[](){}*+?|^$") == std::string::npos && !name.empty(),
                "{}: the pattern {} of {} is a regular expression, which is not supported; write module names, such as "
                "blocks.0.self_attn.q",
                source_, in_quotes(name), key);
      out.emplace_back(name, read(key, value));
    }
  }

  void refuse_other_adapters() const {
    if (const OrderedJson* type = find("peft_type"))
      SGF_CHECK(*type == "LORA", "{}: peft_type is {}, expected \"LORA\"", source_, in_quotes(type->dump()));
    SGF_CHECK(!flag("use_dora"), "{}: DoRA (use_dora) is not supported; merge it with PEFT's merge_and_unload",
              source_);
    SGF_CHECK(!flag("fan_in_fan_out"), "{}: fan_in_fan_out is not supported; Wan's weights are not transposed",
              source_);
    refuse_changed_base();
  }

 private:
  // These start from a base that training changed too, so adding B A to the original base gives another network.
  void refuse_changed_base() const {
    const OrderedJson* start = find("init_lora_weights");
    if (start == nullptr || !start->is_string()) return;
    const std::string name = start->get<std::string>();
    const bool is_changed = name.starts_with("pissa") || name == "olora" || name == "loftq" || name == "corda";
    SGF_CHECK(!is_changed,
              "{}: init_lora_weights is {}, which changes the base before training; convert the LoRA with PEFT "
              "(path_initial_model_for_weight_conversion) first",
              source_, in_quotes(name));
  }

  const OrderedJson& root_;
  const std::string& source_;
  const std::string& prefix_;
};

}  // namespace

std::optional<int64_t> AdapterConfig::rank_of(std::string_view module) const {
  return value_for(rank_pattern, module, rank);
}

std::optional<double> AdapterConfig::alpha_of(std::string_view module) const {
  return value_for(alpha_pattern, module, alpha);
}

AdapterConfig adapter_config_from_json(std::string_view text, const std::string& source, const std::string& prefix) {
  const OrderedJson root = parse_strict_ordered_json(text, source);
  SGF_CHECK(root.is_object(), "{}: must be a JSON object", source);
  const AdapterReader reader(root, source, prefix);
  reader.refuse_other_adapters();
  AdapterConfig config;
  config.source = source;
  const auto rank = [&](const std::string& key, const OrderedJson& value) { return reader.rank(key, value); };
  const auto alpha = [&](const std::string& key, const OrderedJson& value) { return reader.alpha(key, value); };
  if (const OrderedJson* value = reader.find("r")) config.rank = rank("r", *value);
  if (const OrderedJson* value = reader.find("lora_alpha")) config.alpha = alpha("lora_alpha", *value);
  reader.patterns("rank_pattern", config.rank_pattern, rank);
  reader.patterns("alpha_pattern", config.alpha_pattern, alpha);
  config.is_rank_stabilised = reader.flag("use_rslora");
  return config;
}

}  // namespace sgf
