// A LoRA of another program, in whatever container, and the scaling that PEFT stores beside it.
#include "fuzz/fuzz_target.h"
#include "fuzz/scratch.h"

#include "sgf/weights/lora_file.h"
#include "sgf/weights/lora_names.h"

#include <nlohmann/json.hpp>

namespace sgf::fuzz {
namespace {

constexpr const char* kName = "outside.lora";

void read(std::string_view input) {
  auto file = read_or_refuse(kName, [&] { return read_tensor_file(mapped(kName, input)); });
  if (!file) return;
  for (const TensorEntry& entry : file->entries) reason_against_lora(entry.name);
  const auto lora = read_or_refuse(
      kName, [&] { return read_lora(std::move(*file), kName, AdapterConfig{.source = kName, .alpha = 2}); });
  if (!lora) return;
  must(!lora->changes.empty(), "a LoRA changes something");
  for (const auto& [name, change] : lora->changes) {
    must(official_name(name) == name, "a change has an official name");
    must(change.shape() == (change.diff ? change.diff->shape : change.shape()), "a difference has the shape of B A");
  }
  to_json(*lora).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  must(!describe(*lora).empty() && lora_identity(*lora).size() == 64, "it is described and identified");
  do_or_refuse(kName, [&] { check_lora_fits(*lora, DitWeightIndex{}, "base"); });
}

void read_config(std::string_view input) {
  const auto config = read_or_refuse(kName, [&] { return adapter_config_from_json(input, kName); });
  if (!config) return;
  config->rank_of("blocks.0.self_attn.q");
  config->alpha_of("");
}

void read_name(std::string_view input) {
  const auto name = read_lora_name(input);
  if (!name) return;
  const bool is_of_bias = name->part == LoraPart::kUpBias || name->part == LoraPart::kBiasDiff;
  const std::string weight = name->module + (is_of_bias ? ".bias" : ".weight");
  must(official_name(weight) == weight, "a module is an official one");
}

const Registered target("lora_file", read);
const Registered config_target("adapter_config", read_config);
const Registered name_target("lora_names", read_name);

}  // namespace
}  // namespace sgf::fuzz
