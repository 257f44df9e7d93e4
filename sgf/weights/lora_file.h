// A LoRA as its users have it: a file of any program or PEFT's folder, and how it changes the weights of a base.
// Torch-free.
#pragma once

#include "sgf/files/tensor_file.h"
#include "sgf/weights/adapter_config.h"
#include "sgf/weights/weight_names.h"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sgf {

// "lora.safetensors" or "lora.safetensors:0.8". A path that exists is taken whole.
LoraUse parse_lora_use(const std::string& text);

// How one weight changes: W + scale * (factor * B A + diff_factor * diff). Entries point into the file.
struct LoraChange {
  const TensorEntry* down = nullptr;  // A [rank, in, ...]; nullptr if there is only a difference
  const TensorEntry* up = nullptr;    // B [out, rank, 1...]
  double factor = 1;                  // alpha / rank
  const TensorEntry* diff = nullptr;  // of the weight's shape
  double diff_factor = 1;

  // The file's tensor to name in a message.
  const TensorEntry& named() const { return down != nullptr ? *down : *diff; }
  // Shape of the change.
  std::vector<int64_t> shape() const;
};

struct LoraFile {
  std::filesystem::path path;  // as the user named it
  TensorFile file;
  std::map<std::string, LoraChange> changes;  // by official weight name
  std::vector<std::string> left_out;          // tensors for another network: LongLive's critic_lora
  std::string alpha_from;  // "tensors", the file of the adapter's config, or "none, alpha = rank is assumed"
  bool is_alpha_assumed = false;

  std::vector<int64_t> ranks() const;  // the different ones, ascending
};

// `config` is the adapter's, if there is one. Throws an Error that names the file for tensors that are not understood,
// an A without B, shapes that do not fit each other.
LoraFile read_lora(TensorFile file, const std::filesystem::path& path, const std::optional<AdapterConfig>& config);

// Opens a file, or PEFT's folder of adapter_model and adapter_config.json.
LoraFile open_lora(const std::filesystem::path& path);

// What had to be assumed to read it; "" if nothing. It is said once per key, unless the alpha was found elsewhere.
std::string assumption_of(const LoraFile& lora);
std::string alpha_notice_key(const std::filesystem::path& file);

// Whether the file holds tensors of a LoRA, for any network.
bool is_lora(const TensorFile& file);

// Throws an Error that names tensor and shapes if the LoRA is of another base. `base_path` is for the message.
void check_lora_fits(const LoraFile& lora, const DitWeightIndex& base, const std::filesystem::path& base_path);

// Changes with the tensors and with alpha, wherever alpha is stored.
std::string lora_identity(const LoraFile& lora);

// "LoRA: rank 32, 300 weights: 30 x self_attn.q.weight, ..."
std::string describe(const LoraFile& lora);
nlohmann::json to_json(const LoraFile& lora);

}  // namespace sgf
