#include "sgf/text/umt5_names.h"

#include "sgf/core/error.h"
#include "sgf/files/compare_tensors.h"

#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <utility>

namespace sgf {
namespace {

constexpr std::string_view kEmbedding = "token_embedding.weight";

// The text before a tensor's name, if the file has the sign of a first block with the same text before it.
std::optional<std::string> find_prefix(const TensorFile& file, std::string_view embedding, std::string_view sign) {
  for (const TensorEntry& entry : file.entries) {
    if (!entry.name.ends_with(embedding)) continue;
    const std::string prefix = entry.name.substr(0, entry.name.size() - embedding.size());
    if (file.find(fmt::format("{}{}", prefix, sign)) != nullptr) return prefix;
  }
  return std::nullopt;
}

// A file of transformers may have the embedding under either name, or under both: they are one tensor.
constexpr std::string_view kShared = "shared.weight", kEmbedTokens = "encoder.embed_tokens.weight";
constexpr std::string_view kTransformersSign = "encoder.block.0.layer.0.SelfAttention.q.weight";

std::optional<std::string> find_transformers_prefix(const TensorFile& file) {
  const std::optional<std::string> prefix = find_prefix(file, kShared, kTransformersSign);
  return prefix ? prefix : find_prefix(file, kEmbedTokens, kTransformersSign);
}

struct LayerSpelling {
  std::string_view transformers;  // below "encoder.block.N.layer."
  std::string_view wan;           // below "blocks.N."
};

// gelu(wi_0 x) * wi_1 x: wi_0 is Wan's gate.
constexpr std::array kLayerSpellings{
    LayerSpelling{"0.SelfAttention.q.weight", "attn.q.weight"},
    LayerSpelling{"0.SelfAttention.k.weight", "attn.k.weight"},
    LayerSpelling{"0.SelfAttention.v.weight", "attn.v.weight"},
    LayerSpelling{"0.SelfAttention.o.weight", "attn.o.weight"},
    LayerSpelling{"0.SelfAttention.relative_attention_bias.weight", "pos_embedding.embedding.weight"},
    LayerSpelling{"0.layer_norm.weight", "norm1.weight"},
    LayerSpelling{"1.DenseReluDense.wi_0.weight", "ffn.gate.0.weight"},
    LayerSpelling{"1.DenseReluDense.wi_1.weight", "ffn.fc1.weight"},
    LayerSpelling{"1.DenseReluDense.wo.weight", "ffn.fc2.weight"},
    LayerSpelling{"1.layer_norm.weight", "norm2.weight"},
};

// Other names, such as a decoder's, are returned unchanged.
std::string name_in_wan(const std::string& name) {
  constexpr std::string_view kBlock = "encoder.block.", kLayer = ".layer.";
  if (name == kShared || name == kEmbedTokens) return std::string(kEmbedding);
  if (name == "encoder.final_layer_norm.weight") return "norm.weight";
  const size_t layer = name.find(kLayer);
  if (!name.starts_with(kBlock) || layer == std::string::npos) return name;
  const std::string_view rest = std::string_view(name).substr(layer + kLayer.size());
  const auto known = std::ranges::find(kLayerSpellings, rest, &LayerSpelling::transformers);
  if (known == kLayerSpellings.end()) return name;
  return fmt::format("blocks.{}.{}", name.substr(kBlock.size(), layer - kBlock.size()), known->wan);
}

int64_t count_layers(const std::map<std::string, const TensorEntry*>& tensors) {
  int64_t layers = 0;
  for (;; ++layers) {
    const std::string block = fmt::format("blocks.{}.", layers);
    const auto first = tensors.lower_bound(block);
    if (first == tensors.end() || !first->first.starts_with(block)) return layers;
  }
}

Umt5Config read_sizes(const std::map<std::string, const TensorEntry*>& tensors) {
  const auto size = [&](const std::string& name, size_t dimension) -> int64_t {
    const auto found = tensors.find(name);
    return found != tensors.end() && found->second->shape.size() == 2 ? found->second->shape[dimension] : 0;
  };
  return {.vocabulary = size(std::string(kEmbedding), 0),
          .dim = size(std::string(kEmbedding), 1),
          .dim_attn = size("blocks.0.attn.q.weight", 0),
          .dim_ffn = size("blocks.0.ffn.fc1.weight", 0),
          .num_heads = size("blocks.0.pos_embedding.embedding.weight", 1),
          .num_layers = count_layers(tensors),
          .num_buckets = size("blocks.0.pos_embedding.embedding.weight", 0)};
}

std::string path_of(const TensorFile& file) { return file.files.empty() ? "the file" : file.files[0]->path().string(); }

// Rejects sizes that no encoder can have, even if all shapes agree.
void check_sizes(const Umt5Config& c, const std::string& path) {
  const bool fit = c.num_heads > 0 && c.dim_attn % c.num_heads == 0 && c.num_buckets >= 4 && c.num_buckets < 512;
  SGF_CHECK(fit && c.vocabulary > 0 && c.dim > 0 && c.dim_ffn > 0,
            "{}: the UMT5 encoder has attention width {}, {} heads and {} position buckets; the width must be a "
            "multiple of the heads, with 4 to 511 buckets",
            path, c.dim_attn, c.num_heads, c.num_buckets);
}

}  // namespace

std::vector<Umt5TensorShape> expected_umt5_weights(const Umt5Config& c) {
  std::vector<Umt5TensorShape> all{{std::string(kEmbedding), {c.vocabulary, c.dim}}};
  for (int64_t layer = 0; layer < c.num_layers; ++layer) {
    const std::string block = fmt::format("blocks.{}.", layer);
    for (const char* name : {"q", "k", "v"}) all.push_back({block + "attn." + name + ".weight", {c.dim_attn, c.dim}});
    all.push_back({block + "attn.o.weight", {c.dim, c.dim_attn}});
    all.push_back({block + "ffn.gate.0.weight", {c.dim_ffn, c.dim}});
    all.push_back({block + "ffn.fc1.weight", {c.dim_ffn, c.dim}});
    all.push_back({block + "ffn.fc2.weight", {c.dim, c.dim_ffn}});
    all.push_back({block + "norm1.weight", {c.dim}});
    all.push_back({block + "norm2.weight", {c.dim}});
    all.push_back({block + "pos_embedding.embedding.weight", {c.num_buckets, c.num_heads}});
  }
  all.push_back({"norm.weight", {c.dim}});
  return all;
}

std::optional<Umt5Index> find_umt5(const TensorFile& file, const std::optional<std::string>& prefix) {
  std::optional<std::string> found = prefix ? prefix : find_prefix(file, kEmbedding, "blocks.0.attn.q.weight");
  const bool is_wan = found.has_value();
  if (!is_wan) found = find_transformers_prefix(file);
  if (!found) return std::nullopt;
  Umt5Index index{.prefix = *found};
  if (!is_wan) index.naming = "transformers";
  for (const TensorEntry& entry : file.entries) {
    if (!entry.name.starts_with(*found)) continue;
    const std::string name = entry.name.substr(found->size());
    index.tensors[is_wan ? name : name_in_wan(name)] = &entry;
  }
  index.config = read_sizes(index.tensors);
  TensorComparison compared = compare_tensors(expected_umt5_weights(index.config), index.tensors);
  index.missing = std::move(compared.missing);
  index.unexpected = std::move(compared.unexpected);
  index.mismatched = std::move(compared.mismatched);
  return index;
}

Umt5Index index_umt5(const TensorFile& file, const std::optional<std::string>& prefix) {
  std::optional<Umt5Index> index = find_umt5(file, prefix);
  SGF_CHECK(
      index.has_value(),
      "{}: is not a UMT5 encoder with Wan's names (token_embedding.weight, blocks.0.attn.q.weight, ...) or those of "
      "transformers (shared.weight, encoder.block.0.layer.0.SelfAttention.q.weight, ...); expected "
      "models_t5_umt5-xxl-enc-bf16.pth; run `sgf inspect` to see what the file is",
      path_of(file));
  std::vector<std::string> faults = index->mismatched;
  for (const std::string& name : index->missing) faults.push_back(name + " is missing");
  const size_t total = faults.size();
  if (total > 8) faults.resize(8);
  SGF_CHECK(total == 0, "{}: is not a complete UMT5 encoder ({} problems): {}{}", path_of(file), total,
            fmt::join(faults, "; "), total > faults.size() ? "; ..." : "");
  check_sizes(index->config, path_of(file));
  return *index;
}

std::string describe(const Umt5Config& c) {
  return fmt::format("UMT5 encoder{}: dim {}, ffn {}, layers {}, heads {}, vocabulary {} (from shapes)",
                     c == kWanUmt5 ? " of Wan, umt5-xxl" : "", c.dim, c.dim_ffn, c.num_layers, c.num_heads,
                     c.vocabulary);
}

nlohmann::json to_json(const Umt5Index& index) {
  const Umt5Config& c = index.config;
  return {{"architecture",
           {{"vocab", c.vocabulary},
            {"dim", c.dim},
            {"dim_attn", c.dim_attn},
            {"dim_ffn", c.dim_ffn},
            {"num_heads", c.num_heads},
            {"num_layers", c.num_layers},
            {"num_buckets", c.num_buckets}}},
          {"naming", index.naming},
          {"missing", index.missing},
          {"unexpected", index.unexpected},
          {"mismatched", index.mismatched},
          {"whole", index.is_whole() && index.unexpected.empty()}};
}

}  // namespace sgf
