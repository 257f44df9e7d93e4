// The weights of a UMT5 encoder under Wan's or transformers' names, and the sizes that their shapes imply. Torch-free.
#pragma once

#include "sgf/files/tensor_file.h"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sgf {

struct Umt5Config {
  int64_t vocabulary = 0;
  int64_t dim = 0;
  int64_t dim_attn = 0;  // of all heads together
  int64_t dim_ffn = 0;
  int64_t num_heads = 0;
  int64_t num_layers = 0;
  int64_t num_buckets = 0;  // for relative positions in both directions

  bool operator==(const Umt5Config&) const = default;
};

struct Umt5TensorShape {
  std::string name;
  std::vector<int64_t> shape;
};

// Every tensor of an encoder of this size, in the official order and under Wan's names.
std::vector<Umt5TensorShape> expected_umt5_weights(const Umt5Config& config);

// The sizes of the encoder that Wan uses, umt5-xxl.
inline constexpr Umt5Config kWanUmt5{.vocabulary = 256384,
                                     .dim = 4096,
                                     .dim_attn = 4096,
                                     .dim_ffn = 10240,
                                     .num_heads = 64,
                                     .num_layers = 24,
                                     .num_buckets = 32};

// What a file contains of an encoder, compared with what its sizes require. Entries point into the file.
struct Umt5Index {
  std::string prefix;                                 // before every name: "", or "w." in a recording
  std::string naming = "wan";                         // or "transformers", UMT5EncoderModel
  Umt5Config config;                                  // from the shapes; 0 for an unknown size
  std::map<std::string, const TensorEntry*> tensors;  // by Wan's names
  std::vector<std::string> missing;
  std::vector<std::string> unexpected;
  std::vector<std::string> mismatched;  // "norm.weight: [3], expected [64]"

  bool is_whole() const { return missing.empty() && mismatched.empty(); }
};

// nullopt if no tensors look like an encoder. Without `prefix`, uses the one before `token_embedding.weight`, or before
// transformers' `shared.weight`.
std::optional<Umt5Index> find_umt5(const TensorFile& file, const std::optional<std::string>& prefix = std::nullopt);

// The same, but throws an Error that says what is missing or has a wrong shape.
Umt5Index index_umt5(const TensorFile& file, const std::optional<std::string>& prefix = std::nullopt);

// "UMT5 encoder: dim 4096, ...", with "umt5-xxl" if the sizes are Wan's.
std::string describe(const Umt5Config& config);

nlohmann::json to_json(const Umt5Index& index);

}  // namespace sgf
