// A row of signs, the surest first.
#include "sgf/model/weight_origin.h"

#include "sgf/core/checkpoint_format.h"

#include <fmt/format.h>

#include <algorithm>

namespace sgf {
namespace {

// Whether some name ends in this one, whatever it is wrapped in.
bool has_ending(const TensorFile& file, std::string_view ending) {
  return std::ranges::any_of(file.entries, [&](const TensorEntry& entry) { return entry.name.ends_with(ending); });
}

bool has_part(const TensorFile& file, std::string_view part) {
  return std::ranges::any_of(file.entries,
                             [&](const TensorEntry& entry) { return entry.name.find(part) != std::string::npos; });
}

bool strips(const DitWeightIndex& dit, std::string_view wrapper) {
  return std::ranges::any_of(dit.prefixes,
                             [&](const std::string& prefix) { return prefix.find(wrapper) != std::string::npos; });
}

bool is_training_role(const std::string& role) {
  return role == "generator" || role == "generator_ema" || role == "critic";
}

std::string writer_of_dit(const std::vector<DitWeightIndex>& dits) {
  const DitWeightIndex& first = dits.front();
  const bool is_wrapped = strips(first, "_fsdp_wrapped_module");
  if (first.unsupported.starts_with("SGF+")) return "SGF+ training";
  if (std::ranges::any_of(dits, is_training_role, &DitWeightIndex::role)) {
    return is_wrapped ? "Self-Forcing or Causal-Forcing training, FSDP-wrapped"
                      : "Self-Forcing or Causal-Forcing training";
  }
  if (is_wrapped) return "an FSDP-wrapped training run";
  if (strips(first, "diffusion_model")) return "ComfyUI";
  if (first.naming == "diffusers") return "diffusers";
  return first.unsupported.starts_with("image-to-video") ? "official Wan, image-to-video" : "official Wan";
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
  if (is_recording(file)) return fmt::format("a reference recording, kind {}", file.metadata.at("kind"));
  return dits.empty() ? writer_of_other(file) : writer_of_dit(dits);
}

}  // namespace sgf
