// What programs and people are told about a LoRA.
#include "sgf/files/sha256.h"
#include "sgf/files/weight_identity.h"
#include "sgf/weights/lora_file.h"

#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

namespace sgf {

std::string assumption_of(const LoraFile& lora) {
  if (!lora.is_alpha_assumed) return "";
  return fmt::format("{}: has no alpha, and no adapter_config.json of its own says one; alpha = rank ({}) is assumed",
                     lora.path.string(), fmt::join(lora.ranks(), ", "));
}

std::string lora_identity(const LoraFile& lora) {
  std::string factors;
  for (const auto& [name, change] : lora.changes)
    factors += fmt::format("{} {} {}\n", name, change.factor, change.diff_factor);
  return sha256_of(weight_identity(lora.file) + "\n" + factors);
}

std::string describe(const LoraFile& lora) {
  std::map<std::string, int64_t> targets;
  for (const auto& [name, change] : lora.changes) {
    const bool is_of_block = name.starts_with("blocks.");
    ++targets[is_of_block ? name.substr(name.find('.', 7) + 1) : name];
  }
  std::vector<std::string> shown;
  for (const auto& [name, count] : targets) shown.push_back(count > 1 ? fmt::format("{} x {}", count, name) : name);
  const std::vector<int64_t> ranks = lora.ranks();
  return fmt::format("LoRA: rank {}, {} weights: {}",
                     ranks.empty() ? "none" : fmt::format("{}", fmt::join(ranks, ", ")), lora.changes.size(),
                     fmt::join(shown, ", "));
}

nlohmann::json to_json(const LoraFile& lora) {
  nlohmann::json changes = nlohmann::json::object();
  for (const auto& [name, change] : lora.changes) {
    changes[name] = {{"shape", change.shape()}, {"factor", change.factor}, {"difference", change.diff != nullptr}};
    if (change.down != nullptr) changes[name]["rank"] = change.down->shape[0];
  }
  return {{"ranks", lora.ranks()}, {"alpha", lora.alpha_from}, {"left_out", lora.left_out}, {"changes", changes}};
}

}  // namespace sgf
