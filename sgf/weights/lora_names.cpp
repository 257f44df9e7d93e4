#include "sgf/weights/lora_names.h"

#include "sgf/model/weight_table.h"
#include "sgf/weights/placed_name.h"
#include "sgf/weights/weight_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

namespace sgf {
namespace {

struct PartEnding {
  std::string_view ending;
  LoraPart part;
};

constexpr std::array kPartEndings{
    PartEnding{".lora_A.weight", LoraPart::kDown}, PartEnding{".lora_B.weight", LoraPart::kUp},
    PartEnding{".lora_B.bias", LoraPart::kUpBias}, PartEnding{".lora_down.weight", LoraPart::kDown},
    PartEnding{".lora_up.weight", LoraPart::kUp},  PartEnding{".lora.down.weight", LoraPart::kDown},
    PartEnding{".lora.up.weight", LoraPart::kUp},  PartEnding{".alpha", LoraPart::kAlpha},
    PartEnding{".diff", LoraPart::kWeightDiff},    PartEnding{".diff_b", LoraPart::kBiasDiff},
};

constexpr std::string_view kKohya = "lora_unet_";

// PEFT's own state dict has the adapter's name within: "q.lora_A.default.weight" -> "q.lora_A.weight".
std::string without_adapter(std::string_view name) {
  for (const std::string_view mark : {".lora_A.", ".lora_B."}) {
    const size_t at = name.find(mark);
    if (at == std::string_view::npos) continue;
    const std::string_view tail = name.substr(at + mark.size());
    const size_t dot = tail.find('.');
    if (dot == std::string_view::npos) return std::string(name);
    return fmt::format("{}{}", name.substr(0, at + mark.size()), tail.substr(dot + 1));
  }
  return std::string(name);
}

bool is_of_bias(LoraPart part) { return part == LoraPart::kUpBias || part == LoraPart::kBiasDiff; }

// The official name of a module, without ".weight"; nullopt if a DiT has no such weight or bias.
std::optional<std::string> official_module(std::string_view module, LoraPart part) {
  const std::string_view ending = is_of_bias(part) ? ".bias" : ".weight";
  const std::optional<std::string> official = official_name(fmt::format("{}{}", module, ending));
  if (!official) return std::nullopt;
  return official->substr(0, official->size() - ending.size());
}

// kohya's names have underscores for dots, so modules are recognised and not split: "self_attn_q" -> "self_attn.q".
std::map<std::string, std::string> underscored_modules(std::span<const WeightRow> rows) {
  std::map<std::string, std::string> modules;
  for (const WeightRow& row : rows) {
    for (const std::string_view name : {row.official, row.diffusers}) {
      if (!name.ends_with(".weight")) continue;
      const std::string module(name.substr(0, name.size() - 7));
      std::string underscored = module;
      std::ranges::replace(underscored, '.', '_');
      modules.emplace(underscored, module);
    }
  }
  return modules;
}

std::optional<std::string> find_module(const std::map<std::string, std::string>& modules, std::string_view name) {
  const auto found = modules.find(std::string(name));
  return found == modules.end() ? std::nullopt : std::optional(found->second);
}

// "blocks_12_self_attn_q" -> "blocks.12.self_attn.q".
std::optional<std::string> dotted_module(std::string_view name) {
  static const auto of_block = underscored_modules(rows_of_block());
  static const auto before = underscored_modules(rows_before_blocks()),
                    after = underscored_modules(rows_after_blocks());
  constexpr std::string_view kBlocksMark = "blocks_";
  if (!name.starts_with(kBlocksMark)) {
    const std::optional<std::string> module = find_module(before, name);
    return module ? module : find_module(after, name);
  }
  name.remove_prefix(kBlocksMark.size());
  const size_t end = name.find('_');
  if (end == std::string_view::npos || end == 0) return std::nullopt;
  const std::optional<std::string> module = find_module(of_block, name.substr(end + 1));
  if (!module) return std::nullopt;
  return fmt::format("blocks.{}.{}", name.substr(0, end), *module);  // official_name checks the number
}

// The outer keys and the wrappers that trainers put around the network: PEFT's "base_model", diffusers' "transformer",
// LongLive's "generator_lora" and "critic_lora", DiffSynth's "pipe.dit". nullopt for other networks, such as a text
// encoder.
std::optional<std::string> network_of(std::string_view role) {
  constexpr std::string_view kPeft = "base_model";
  if (role.ends_with(kPeft)) role.remove_suffix(kPeft.size());
  if (role.ends_with('.')) role.remove_suffix(1);
  for (const std::string_view known :
       {"", "transformer", "generator_lora", "generator", "model", "state_dict", "pipe.dit"})
    if (role == known) return "";
  if (role == "critic_lora") return "critic";
  return std::nullopt;
}

}  // namespace

std::optional<LoraName> read_lora_name(std::string_view name) {
  const std::string plain = without_adapter(name);
  const auto ending = std::ranges::find_if(
      kPartEndings, [&](const PartEnding& known) { return std::string_view(plain).ends_with(known.ending); });
  if (ending == kPartEndings.end()) return std::nullopt;
  std::string_view module(plain);
  module.remove_suffix(ending->ending.size());

  LoraName found{.network = "", .module = "", .given = "", .part = ending->part};
  if (module.starts_with(kKohya)) {
    const std::optional<std::string> dotted = dotted_module(module.substr(kKohya.size()));
    if (!dotted) return std::nullopt;
    found.given = *dotted;
  } else {
    const std::optional<PlacedName> placed = place_name(module);
    const std::optional<std::string> network = placed ? network_of(placed->role) : std::nullopt;
    if (!network) return std::nullopt;
    found.network = *network;
    found.given = placed->weight;
  }
  const std::optional<std::string> official = official_module(found.given, found.part);
  if (!official) return std::nullopt;
  found.module = *official;
  return found;
}

bool looks_like_lora(std::string_view name) {
  constexpr std::array<std::string_view, 6> kSigns{".lora_A.",  ".lora_B.",    ".lora_down.",
                                                   ".lora_up.", ".lora.down.", ".lora.up."};
  return std::ranges::any_of(kSigns, [&](std::string_view sign) { return name.find(sign) != std::string_view::npos; });
}

std::string reason_against_lora(std::string_view name) {
  const auto has = [&](std::string_view part) { return name.find(part) != std::string_view::npos; };
  if (has("dora_scale") || has("lora_magnitude_vector"))
    return ": DoRA is not supported; merge it with its own program";
  if (has(".lora_mid.") || has(".hada_") || has(".lokr_"))
    return ": only plain LoRA is supported, no LoCon, LoHa or LoKr";
  if (has("k_img") || has("v_img") || has("img_emb") || has("add_k_proj") || has("add_v_proj") || has("image_embedder"))
    return ": it is of an image-to-video network, which is not supported";
  if (has("lora_te") || has("text_encoder")) return ": it changes a text encoder; only the DiT can be changed";
  if (has("modules_to_save") || has("base_layer")) return ": it is a whole weight, not a low-rank change";
  return "";
}

}  // namespace sgf
