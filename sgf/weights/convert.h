// `sgf convert`: one weight file into another, with other names, another element type or another container.
#pragma once

#include "sgf/core/dtype.h"
#include "sgf/core/enum_names.h"

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace sgf {

// Under which names the tensors are written.
enum class ConvertNames {
  kWan,        // a DiT's outer key and wrappers go, names become official; files of anything else keep theirs
  kDiffusers,  // the same, as WanTransformer3DModel calls them; a DiT only
  kKeep,       // every tensor of the file, under the names it has; nested dicts become dotted names
};

constexpr auto enum_names(ConvertNames) {
  return std::array{EnumName{ConvertNames::kWan, "wan"}, EnumName{ConvertNames::kDiffusers, "diffusers"},
                    EnumName{ConvertNames::kKeep, "keep"}};
}

struct ConvertRequest {
  std::filesystem::path input;   // a file, a folder of shards, a Wan or diffusers folder
  std::filesystem::path output;  // .safetensors, .pt or .pth: the ending chooses the container
  ConvertNames names = ConvertNames::kWan;
  std::optional<DType> dtype;       // of floating tensors; nothing keeps each as it is
  std::optional<std::string> role;  // outer key: "generator" where generator_ema would be taken
  bool overwrite = false;           // an existing output; never the input
};

struct ConvertResult {
  int64_t tensors = 0;
  uint64_t bytes = 0;  // of the file written
  std::string role;    // the outer key that was taken, "" for the whole file
  bool is_dit = false;
  std::vector<std::string> carried;     // tensors no DiT has: written all the same, without role and wrappers
  std::vector<std::string> left_out;    // other roles' DiTs that the output does not hold
  std::vector<std::string> missing;     // official names of weights that the DiT should have and the input has not
  std::vector<std::string> no_tensors;  // numbers and texts beside the tensors, which the output does not hold
  bool is_flattened = false;            // nested dicts became dotted names
  std::string hint;                     // why weights may be missing: one shard of several
};

// Reads and writes tensor by tensor. Throws rather than overwrite, and where a number leaves the range of float16.
ConvertResult convert_weights(const ConvertRequest& request);

}  // namespace sgf
