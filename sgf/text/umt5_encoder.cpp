#include "sgf/text/umt5_encoder.h"

#include "sgf/core/error.h"
#include "sgf/files/tensors.h"
#include "sgf/kernels/gelu_tanh.h"
#include "sgf/kernels/rms_norm.h"
#include "sgf/kernels/wide.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>
#include <fmt/format.h>

#include <cmath>
#include <limits>

namespace sgf {
namespace {

constexpr double kNormEps = 1e-6;
constexpr double kFarthest = 128;  // larger distances share the last bucket

// The score of a masked key: the lowest number, as in the original, so that a prompt without real tokens still sums to
// one.
double lowest(at::ScalarType type) {
  return type == at::kDouble ? std::numeric_limits<double>::lowest() : std::numeric_limits<float>::lowest();
}

// [B, L, dim] -> [B, N, L, D]
at::Tensor split_heads(const at::Tensor& x, int64_t heads) {
  return x.view({x.size(0), x.size(1), heads, x.size(2) / heads}).transpose(1, 2);
}

// No scaling by the head width: T5 has it in its weights. So scores are large and are never rounded to 16 bits.
at::Tensor attend(const Umt5Layer& layer, const at::Tensor& x, const at::Tensor& bias) {
  const int64_t heads = layer.position_bias.size(1);
  const at::Tensor q = split_heads(at::linear(x, layer.q), heads), k = split_heads(at::linear(x, layer.k), heads);
  const at::Tensor v = split_heads(at::linear(x, layer.v), heads);
  const at::Tensor scores = at::matmul(wide(q), wide(k).transpose(2, 3)) + bias;
  const at::Tensor seen = at::matmul(at::softmax(scores, -1), wide(v)).to(x.scalar_type());
  return at::linear(seen.transpose(1, 2).reshape({x.size(0), x.size(1), -1}), layer.o);
}

at::Tensor feed_forward(const Umt5Layer& layer, const at::Tensor& x) {
  return at::linear(at::linear(x, layer.fc1) * gelu_tanh(at::linear(x, layer.gate)), layer.fc2);
}

at::Tensor norm(const at::Tensor& x, const at::Tensor& weight, at::ScalarType out) {
  return rms_norm(x, weight.to(x.scalar_type()), kNormEps).to(out);
}

}  // namespace

at::Tensor relative_position_buckets(int64_t length, int64_t num_buckets) {
  const int64_t half = num_buckets / 2, exact = half / 2;
  const at::Tensor places = at::arange(length, at::kLong);
  const at::Tensor offset = places.unsqueeze(0) - places.unsqueeze(1);  // key - query
  const at::Tensor distance = offset.abs();
  // In float32, as in the original: bucket edges lie on rounded logarithms.
  const at::Tensor ratio = at::log(distance.clamp_min(1).to(at::kFloat) / exact) /
                           std::log(kFarthest / static_cast<double>(exact)) * (half - exact);
  const at::Tensor far = (ratio.to(at::kLong) + exact).clamp_max(half - 1);
  return (offset > 0).to(at::kLong) * half + at::where(distance < exact, distance, far);
}

// The tensors that one call passes between layers.
struct Umt5Encoder::Sequence {
  at::Tensor x;            // [B, L, dim], wide
  at::Tensor buckets;      // [L, L]
  at::Tensor hidden_keys;  // [B, 1, 1, L], true for masked keys; undefined if there are none

  // [B or 1, N, L, L], wide
  at::Tensor bias_of(const Umt5Layer& layer) const {
    const at::Tensor table = layer.position_bias.to(x.scalar_type());
    const at::Tensor bias = at::embedding(table, buckets).permute({2, 0, 1}).unsqueeze(0);
    return hidden_keys.defined() ? bias.masked_fill(hidden_keys, lowest(x.scalar_type())) : bias;
  }
};

Umt5Encoder::Umt5Encoder(TensorFile file, at::TensorOptions options, Umt5Residence residence,
                         const std::optional<std::string>& prefix)
    : file_(std::move(file)), index_(index_umt5(file_, prefix)), options_(options) {
  if (residence == Umt5Residence::kLayerByLayer) return;
  for (int64_t i = 0; i < config().num_layers; ++i) layers_.push_back(load_layer(i));
}

// No copy if the file has the requested dtype and the device is the CPU.
at::Tensor Umt5Encoder::load(const std::string& name) const {
  const TensorEntry& entry = *index_.tensors.at(name);
  const bool is_as_stored =
      options_.device().is_cpu() && scalar_type_of(entry.dtype) == options_.dtype().toScalarType();
  return is_as_stored ? map_tensor(file_, entry).contiguous() : copy_tensor(file_, entry, options_);
}

Umt5Layer Umt5Encoder::load_layer(int64_t layer) const {
  const auto of = [&](const char* name) { return load(fmt::format("blocks.{}.{}.weight", layer, name)); };
  return {.q = of("attn.q"),
          .k = of("attn.k"),
          .v = of("attn.v"),
          .o = of("attn.o"),
          .gate = of("ffn.gate.0"),
          .fc1 = of("ffn.fc1"),
          .fc2 = of("ffn.fc2"),
          .norm1 = of("norm1"),
          .norm2 = of("norm2"),
          .position_bias = of("pos_embedding.embedding")};
}

Umt5Encoder::Sequence Umt5Encoder::begin(const at::Tensor& ids, const at::Tensor& mask) const {
  const at::Tensor flat = ids.to(at::kCPU, at::kLong).contiguous();
  const bool fit = flat.dim() == 2 && flat.size(1) > 0 && flat.min().item<int64_t>() >= 0 &&
                   flat.max().item<int64_t>() < config().vocabulary;
  SGF_CHECK(fit, "token ids must be [B, L] with values from 0 to {}; is the tokenizer from another model?",
            config().vocabulary - 1);
  // Embeddings are read from the mapped table: of Wan's 2 GB, a prompt touches a few pages.
  const at::Tensor table = map_tensor(file_, *index_.tensors.at("token_embedding.weight"));
  const at::Tensor rows = table.index_select(0, flat.flatten()).view({flat.size(0), flat.size(1), config().dim});
  Sequence sequence{.x = wide(rows.to(options_)),
                    .buckets = relative_position_buckets(flat.size(1), config().num_buckets).to(options_.device()),
                    .hidden_keys = {}};
  if (mask.defined()) {
    SGF_CHECK(mask.sizes() == ids.sizes(), "the mask must have the shape of the ids, [{}, {}]", ids.size(0),
              ids.size(1));
    sequence.hidden_keys = (mask.to(options_.device()) == 0).unsqueeze(1).unsqueeze(1);
  }
  return sequence;
}

// Layers outside, sequences inside: each layer is read once per call.
void Umt5Encoder::run(std::vector<Sequence>& sequences) const {
  const at::ScalarType type = options_.dtype().toScalarType();
  for (int64_t i = 0; i < config().num_layers; ++i) {
    const Umt5Layer layer = layers_.empty() ? load_layer(i) : layers_[static_cast<size_t>(i)];
    for (Sequence& s : sequences) {
      s.x = s.x + attend(layer, norm(s.x, layer.norm1, type), s.bias_of(layer));
      s.x = s.x + feed_forward(layer, norm(s.x, layer.norm2, type));
    }
  }
  const at::Tensor last = load("norm.weight");
  for (Sequence& s : sequences) s.x = norm(s.x, last, type);
}

std::vector<at::Tensor> Umt5Encoder::encode(const std::vector<std::vector<int64_t>>& ids) const {
  const at::NoGradGuard no_grad;
  std::vector<Sequence> sequences;
  for (const auto& one : ids) sequences.push_back(begin(at::tensor(one, at::kLong).unsqueeze(0), {}));
  run(sequences);
  std::vector<at::Tensor> rows;
  for (const Sequence& sequence : sequences) rows.push_back(sequence.x.squeeze(0));
  return rows;
}

at::Tensor Umt5Encoder::forward(const at::Tensor& ids, const at::Tensor& mask) const {
  const at::NoGradGuard no_grad;
  std::vector<Sequence> sequences{begin(ids, mask)};
  run(sequences);
  return sequences[0].x;
}

}  // namespace sgf
