// A list of signs, the most certain first.
#include "sgf/weights/weight_origin.h"

#include "sgf/core/error.h"
#include "sgf/files/checkpoint_format.h"
#include "sgf/weights/own_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace sgf {
namespace {

// Whether some name ends with this one, whatever wraps it.
bool has_ending(const TensorFile& file, std::string_view ending) {
  return std::ranges::any_of(file.entries, [&](const TensorEntry& entry) { return entry.name.ends_with(ending); });
}

bool has_part(const TensorFile& file, std::string_view part) {
  return std::ranges::any_of(file.entries,
                             [&](const TensorEntry& entry) { return entry.name.find(part) != std::string::npos; });
}

// Compares a whole part of a prefix: "module" does not match "_fsdp_wrapped_module.".
bool strips(const DitWeightIndex& dit, std::string_view wrapper) {
  const std::string part = fmt::format(".{}.", wrapper);
  return std::ranges::any_of(dit.prefixes,
                             [&](const std::string& prefix) { return ("." + prefix).find(part) != std::string::npos; });
}

// The wrappers that torch left around the names: ", FSDP-wrapped".
std::string wrapping_of(const DitWeightIndex& dit) {
  std::string wrapping;
  if (strips(dit, "_fsdp_wrapped_module")) wrapping += ", FSDP-wrapped";
  if (strips(dit, "_orig_mod")) wrapping += ", compiled by torch.compile";
  if (strips(dit, "module")) wrapping += ", DDP-wrapped";
  return wrapping;
}

// The sizes published by Wan's authors; image-to-video reads more channels.
bool is_official_size(const DitWeightIndex& dit) {
  try {
    DitConfig sizes = infer_dit_sizes(dit);
    return std::ranges::any_of(std::array{"wan-1.3b", "wan-14b"}, [&](const char* name) {
      const DitConfig preset = dit_preset(name);
      return sizes.dim == preset.dim && sizes.ffn_dim == preset.ffn_dim && sizes.num_layers == preset.num_layers &&
             sizes.text_dim == preset.text_dim && sizes.out_dim == preset.out_dim;
    });
  } catch (const Error&) {
    return false;  // a part of a network does not determine its size
  }
}

std::string writer_of_bare(const DitWeightIndex& dit) {
  if (dit.naming == "diffusers") return "diffusers";
  const std::string writer = is_official_size(dit) ? "official Wan" : "unknown, in Wan's names";
  return dit.unsupported.starts_with("image-to-video") ? writer + ", image-to-video" : writer;
}

bool is_training_role(const std::string& role) {
  return role == "generator" || role == "generator_ema" || role == "critic";
}

std::string writer_of_dit(const std::vector<DitWeightIndex>& dits) {
  const DitWeightIndex& first = dits.front();
  const std::string wrapping = wrapping_of(first);
  if (first.unsupported.starts_with("SGF+")) return "SGF+ training" + wrapping;
  if (std::ranges::any_of(dits, is_training_role, &DitWeightIndex::role)) {
    return "Self-Forcing or Causal-Forcing training" + wrapping;
  }
  if (!wrapping.empty()) return "a training run" + wrapping;
  return strips(first, "diffusion_model") ? "ComfyUI" : writer_of_bare(first);
}

std::string own_writer(const TensorFile& file) {
  const auto kind = file.metadata.find(kCheckpointKindKey);
  return fmt::format("sgf (kind {}, format {})", kind == file.metadata.end() ? "unknown" : kind->second,
                     file.metadata.at(kFormatVersionKey));
}

bool is_recording(const TensorFile& file) {
  return file.metadata.contains("kind") &&
         std::ranges::any_of(file.entries, [](const TensorEntry& entry) { return entry.name.starts_with("out."); });
}

std::string writer_of_other(const TensorFile& file) {
  if (has_part(file, ".lora_A.") || has_part(file, ".lora_down.") || has_part(file, "lora_up.")) return "LoRA";
  if (has_ending(file, "encoder.conv1.weight") && has_part(file, "decoder.middle.")) return "Wan VAE";
  if (has_ending(file, "encoder.conv_in.weight") && has_part(file, "decoder.mid_block.")) return "diffusers VAE";
  if (has_ending(file, "token_embedding.weight") && has_ending(file, "blocks.0.attn.q.weight")) {
    return "Wan's UMT5 encoder";
  }
  if (has_ending(file, "shared.weight") && has_ending(file, "block.0.layer.0.SelfAttention.q.weight")) {
    return "transformers, a T5 or UMT5";
  }
  return "unknown";
}

}  // namespace

std::string guess_writer(const TensorFile& file, const std::vector<DitWeightIndex>& dits) {
  if (is_own_checkpoint(file)) return own_writer(file);
  if (!describe_own_file(file).empty()) return "sgf";
  if (is_recording(file)) return fmt::format("a reference recording, kind {}", file.metadata.at("kind"));
  return dits.empty() ? writer_of_other(file) : writer_of_dit(dits);
}

}  // namespace sgf
