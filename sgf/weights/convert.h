// `sgf convert`: converts a weight file to other names, another element type or another container.
#pragma once

#include "sgf/core/dtype.h"
#include "sgf/core/enum_names.h"
#include "sgf/weights/weight_names.h"

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace sgf {

// The names under which tensors are written.
enum class ConvertNames {
  kWan,        // official names without a DiT's outer key and wrappers; other files keep their names
  kDiffusers,  // the same with the names of WanTransformer3DModel; only for a DiT
  kKeep,       // every tensor of the file under its own name; nested dicts become dotted names
};

constexpr auto enum_names(ConvertNames) {
  return std::array{EnumName{ConvertNames::kWan, "wan"}, EnumName{ConvertNames::kDiffusers, "diffusers"},
                    EnumName{ConvertNames::kKeep, "keep"}};
}

struct ConvertRequest {
  std::filesystem::path input;   // a file, a folder of shards, a Wan or diffusers folder
  std::filesystem::path output;  // .safetensors, .pt or .pth: the ending chooses the container
  ConvertNames names = ConvertNames::kWan;
  std::optional<DType> dtype;       // of floating-point tensors; nullopt keeps each dtype
  std::optional<std::string> role;  // outer key, such as "generator" instead of the default generator_ema
  bool overwrite = false;           // overwrites an existing output; never the input or a LoRA
  std::vector<LoraUse> loras;       // merged into the DiT
};

struct ConvertResult {
  int64_t tensors = 0;
  uint64_t bytes = 0;  // size of the written file
  std::string role;    // the outer key that was used, "" for the whole file
  bool is_dit = false;
  std::vector<std::string> carried;     // tensors that no DiT has; written anyway, without role and wrappers
  std::vector<std::string> left_out;    // DiTs of other roles, which are not in the output
  std::vector<std::string> missing;     // official names of DiT weights that the input lacks
  std::vector<std::string> no_tensors;  // numbers and texts beside the tensors, which are not in the output
  bool is_flattened = false;            // nested dicts became dotted names
  std::string hint;                     // why weights may be missing: one shard of several
  int64_t merged = 0;                   // weights that LoRAs changed
};

// Reads and writes tensor by tensor. Throws instead of overwriting, and if a value exceeds the range of the new type.
ConvertResult convert_weights(const ConvertRequest& request);

}  // namespace sgf
