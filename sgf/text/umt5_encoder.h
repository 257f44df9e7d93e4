// The UMT5 encoder: token ids in, one embedding per token out. Weights stay in the mapped file until they are needed.
#pragma once

#include "sgf/files/tensor_file.h"
#include "sgf/text/umt5_names.h"

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace sgf {

enum class Umt5Residence {
  kResident,      // all layers stay on the device: 9 GB for Wan in bfloat16
  kLayerByLayer,  // one layer at a time, read from the file on every call: 0.4 GB
};

struct Umt5Layer {
  at::Tensor q, k, v;        // [dim_attn, dim]
  at::Tensor o;              // [dim, dim_attn]
  at::Tensor gate, fc1;      // [dim_ffn, dim]
  at::Tensor fc2;            // [dim, dim_ffn]
  at::Tensor norm1, norm2;   // [dim]
  at::Tensor position_bias;  // [num_buckets, num_heads]
};

// Linear layers in the dtype of `options`; norms, attention and the sum over layers in float32 or wider.
class Umt5Encoder {
 public:
  // `prefix` as in find_umt5. Throws Error if the file does not contain a complete encoder.
  Umt5Encoder(TensorFile file, at::TensorOptions options, Umt5Residence residence = Umt5Residence::kResident,
              const std::optional<std::string>& prefix = std::nullopt);

  Umt5Encoder(Umt5Encoder&&) = default;
  Umt5Encoder(const Umt5Encoder&) = delete;  // the index points into the file

  const Umt5Config& config() const { return index_.config; }

  // The embedding [L, dim] of every list of ids. Each is computed alone, so that a prompt's embedding does not depend
  // on the other prompts. Padding is never computed: masked keys do not change any embedding that is kept.
  std::vector<at::Tensor> encode(const std::vector<std::vector<int64_t>>& ids) const;

  // [B, L, dim] from ids [B, L], including padding; keys where `mask` [B, L] is 0 are hidden.
  at::Tensor forward(const at::Tensor& ids, const at::Tensor& mask) const;

 private:
  struct Sequence;

  Sequence begin(const at::Tensor& ids, const at::Tensor& mask) const;
  void run(std::vector<Sequence>& sequences) const;
  Umt5Layer load_layer(int64_t layer) const;
  at::Tensor load(const std::string& name) const;

  TensorFile file_;
  Umt5Index index_;
  at::TensorOptions options_;
  std::vector<Umt5Layer> layers_;  // empty if they are read one by one
};

// The bucket of every (query, key) pair, [L, L]. Half of the buckets are for keys after the query. Small distances have
// their own bucket, larger ones share buckets by their logarithm, up to 128.
at::Tensor relative_position_buckets(int64_t length, int64_t num_buckets);

}  // namespace sgf
