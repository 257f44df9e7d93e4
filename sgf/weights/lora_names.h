// Maps the names of LoRA tensors in real files to the weights that they change: PEFT, diffusers, ComfyUI, kohya.
// Torch-free.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace sgf {

enum class LoraPart {
  kDown,        // A [rank, in]: lora_A, lora_down
  kUp,          // B [out, rank]: lora_B, lora_up
  kUpBias,      // of B, added to the bias with B A's factor: lora_B.bias
  kAlpha,       // one number
  kWeightDiff,  // added to the weight as it is: diff
  kBiasDiff,    // added to the bias as it is: diff_b
};

struct LoraName {
  std::string network;  // "" for the generator; "critic" for LongLive's critic_lora, which no video needs
  std::string module;   // official: "blocks.0.self_attn.q"
  std::string given;    // the module as the file spells it, without wrappers: "blocks.0.attn1.to_q"
  LoraPart part = LoraPart::kDown;
};

// nullopt if the name is not that of a LoRA tensor for a weight of a Wan DiT.
std::optional<LoraName> read_lora_name(std::string_view name);

// Whether the name is one of a LoRA for any network.
bool looks_like_lora(std::string_view name);

// Why a name is not understood, "" if nothing more can be said: ": DoRA is not supported".
std::string reason_against_lora(std::string_view name);

}  // namespace sgf
