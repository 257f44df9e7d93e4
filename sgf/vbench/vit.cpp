#include "sgf/vbench/vit.h"

#include "sgf/core/error.h"
#include "sgf/kernels/wide.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace sgf {
namespace {

// The differences between the two naming schemes.
struct VitNameTable {
  const char *class_token, *positions, *patches, *pre_norm, *final_norm, *projection, *blocks;
  const char *norm1, *norm2, *qkv_weight, *qkv_bias, *out, *fc1, *fc2;
};

constexpr VitNameTable kDinoNames{.class_token = "cls_token",
                                  .positions = "pos_embed",
                                  .patches = "patch_embed.proj",
                                  .pre_norm = "pos_drop",
                                  .final_norm = "norm",
                                  .projection = "proj",
                                  .blocks = "blocks.",
                                  .norm1 = ".norm1",
                                  .norm2 = ".norm2",
                                  .qkv_weight = ".attn.qkv.weight",
                                  .qkv_bias = ".attn.qkv.bias",
                                  .out = ".attn.proj",
                                  .fc1 = ".mlp.fc1",
                                  .fc2 = ".mlp.fc2"};

constexpr VitNameTable kClipNames{.class_token = "visual.class_embedding",
                                  .positions = "visual.positional_embedding",
                                  .patches = "visual.conv1",
                                  .pre_norm = "visual.ln_pre",
                                  .final_norm = "visual.ln_post",
                                  .projection = "visual.proj",
                                  .blocks = "visual.transformer.resblocks.",
                                  .norm1 = ".ln_1",
                                  .norm2 = ".ln_2",
                                  .qkv_weight = ".attn.in_proj_weight",
                                  .qkv_bias = ".attn.in_proj_bias",
                                  .out = ".attn.out_proj",
                                  .fc1 = ".mlp.c_fc",
                                  .fc2 = ".mlp.c_proj"};

const VitNameTable& names_of(VitNames names) { return names == VitNames::kClip ? kClipNames : kDinoNames; }

VitConfig clip_config(const char* network, int64_t patch) {
  return {.network = network,
          .names = VitNames::kClip,
          .grid = 224 / patch,
          .patch = patch,
          .out_dim = 512,
          .norm_eps = 1e-5,
          .activation = VitActivation::kQuickGelu,
          .has_pre_norm = true,
          .resizes_positions = false};
}

// [B, L, 3 * patch * patch] from [B, 3, H, W]. A matmul with these replaces the patch convolution and avoids cuDNN's
// possible rounding to TF32.
at::Tensor patch_rows(const at::Tensor& pictures, int64_t patch) {
  const int64_t batch = pictures.size(0), rows = pictures.size(2) / patch, columns = pictures.size(3) / patch;
  return pictures.narrow(2, 0, rows * patch)
      .narrow(3, 0, columns * patch)
      .reshape({batch, 3, rows, patch, columns, patch})
      .permute({0, 2, 4, 1, 3, 5})
      .reshape({batch, rows * columns, 3 * patch * patch});
}

at::Tensor activated(const at::Tensor& x, VitActivation activation) {
  if (activation == VitActivation::kGelu) return at::gelu(x, "none");
  return at::sigmoid(x * 1.702).mul_(x);
}

constexpr int64_t kHeadWidth = 64;
constexpr int64_t kMostBlocks = 256;

// The side of the square of patches in `tokens`, without the first token; 0 if they do not form a square.
int64_t grid_of(int64_t tokens) {
  const auto side = static_cast<int64_t>(std::lround(std::sqrt(static_cast<double>(tokens - 1))));
  return side * side == tokens - 1 ? side : 0;
}

}  // namespace

void VitConfig::validate() const {
  const bool is_positive = grid > 0 && patch > 0 && dim > 0 && depth > 0 && heads > 0 && mlp > 0 && out_dim >= 0;
  SGF_CHECK(
      is_positive && dim % heads == 0,
      "{}: sizes must be positive and dim a multiple of heads, got grid {}, patch {}, dim {}, depth {}, heads {}, mlp "
      "{}, out_dim {}",
      network, grid, patch, dim, depth, heads, mlp, out_dim);
}

VitConfig dino_b16_config() { return {.network = "DINO ViT-B/16"}; }

VitConfig dinov2_b14_config() {
  return {.network = "DINOv2 ViT-B/14", .grid = 37, .patch = 14, .has_layer_scale = true};
}

VitConfig clip_b32_config() { return clip_config("CLIP ViT-B/32", 32); }

VitConfig clip_l14_config() {
  VitConfig config = clip_config("CLIP ViT-L/14", 14);
  config.dim = 1024, config.depth = 24, config.heads = 16, config.mlp = 4096, config.out_dim = 768;
  return config;
}

VitConfig sized_by(VitConfig family, const ShapeLookup& shape_of) {
  VitConfig config = std::move(family);
  const VitNameTable& names = names_of(config.names);
  if (const auto patches = shape_of(std::string(names.patches) + ".weight"); patches.size() == 4) {
    config.dim = patches[0], config.patch = patches[3];
    config.heads = std::max<int64_t>(1, config.dim / kHeadWidth);
  }
  if (const auto learnt = shape_of(names.positions); learnt.size() >= 2)
    if (const int64_t grid = grid_of(learnt[learnt.size() - 2]); grid > 0) config.grid = grid;
  const auto block = [&](int64_t index) { return names.blocks + std::to_string(index); };
  if (const auto hidden = shape_of(block(0) + names.fc1 + ".weight"); hidden.size() == 2) config.mlp = hidden[0];
  int64_t depth = 0;
  while (depth < kMostBlocks && !shape_of(block(depth) + names.norm1 + ".weight").empty()) ++depth;
  if (depth > 0) config.depth = depth;
  if (const auto projection = shape_of(names.projection); config.out_dim > 0 && projection.size() == 2)
    config.out_dim = projection[1];
  return config;
}

Vit::Vit(const VitConfig& config, NetworkWeights& weights) : config_(config) {
  config_.validate();
  take_ends(weights);
  for (int64_t i = 0; i < config_.depth; ++i) blocks_.push_back(take_block(weights, i));
  weights.finish(config_.network);
}

Vit::Norm Vit::take_norm(NetworkWeights& weights, const std::string& name) const {
  return {weights.take_wide(name + ".weight", {config_.dim}), weights.take_wide(name + ".bias", {config_.dim})};
}

Vit::Linear Vit::take_linear(NetworkWeights& weights, const std::string& name, int64_t out, int64_t in) const {
  return {weights.take(name + ".weight", {out, in}), weights.take(name + ".bias", {out})};
}

void Vit::take_ends(NetworkWeights& weights) {
  const VitConfig& c = config_;
  const VitNameTable& names = names_of(c.names);
  const std::string patches = names.patches;
  const bool is_clip = c.names == VitNames::kClip;
  const int64_t tokens = 1 + c.grid * c.grid;
  patch_weight_ = weights.take(patches + ".weight", {c.dim, 3, c.patch, c.patch}).reshape({c.dim, -1});
  if (!is_clip) patch_bias_ = weights.take(patches + ".bias", {c.dim});
  class_token_ = is_clip ? weights.take(names.class_token, {c.dim}).view({1, 1, c.dim})
                         : weights.take(names.class_token, {1, 1, c.dim});
  positions_ = is_clip ? weights.take_wide(names.positions, {tokens, c.dim})
                       : weights.take_wide(names.positions, {1, tokens, c.dim}).squeeze(0);
  if (c.has_pre_norm) pre_norm_ = take_norm(weights, names.pre_norm);
  if (c.has_final_norm) final_norm_ = take_norm(weights, names.final_norm);
  if (c.out_dim > 0) projection_ = weights.take(names.projection, {c.dim, c.out_dim});
}

Vit::Block Vit::take_block(NetworkWeights& weights, int64_t index) const {
  const VitConfig& c = config_;
  const VitNameTable& names = names_of(c.names);
  const std::string block = names.blocks + std::to_string(index);
  Block taken{.norm1 = take_norm(weights, block + names.norm1),
              .norm2 = take_norm(weights, block + names.norm2),
              .qkv = {weights.take(block + names.qkv_weight, {3 * c.dim, c.dim}),
                      weights.take(block + names.qkv_bias, {3 * c.dim})},
              .out = take_linear(weights, block + names.out, c.dim, c.dim),
              .fc1 = take_linear(weights, block + names.fc1, c.mlp, c.dim),
              .fc2 = take_linear(weights, block + names.fc2, c.dim, c.mlp),
              .scale1 = {},
              .scale2 = {}};
  if (!c.has_layer_scale) return taken;
  taken.scale1 = weights.take(block + ".ls1.gamma", {c.dim});
  taken.scale2 = weights.take(block + ".ls2.gamma", {c.dim});
  return taken;
}

at::ScalarType Vit::picture_type() const { return wide_type(patch_weight_.scalar_type()); }

at::Tensor Vit::features(const at::Tensor& pictures) const {
  const at::NoGradGuard no_grad;
  at::Tensor x = tokens(pictures);
  const int64_t last = config_.depth - 1;
  for (int64_t i = 0; i < last; ++i) x = run_block(i, x);
  return feature_of(run_block(last, x, /*wanted=*/1));  // the outputs of the patches are not needed
}

at::Tensor Vit::tokens(const at::Tensor& pictures) const {
  const int64_t patch = config_.patch;
  SGF_CHECK(pictures.dim() == 4 && pictures.size(1) == 3 && pictures.size(2) >= patch && pictures.size(3) >= patch,
            "{} needs frames [B, 3, H, W] of at least {}x{}, got [{}]", config_.network, patch, patch,
            fmt::join(pictures.sizes(), ", "));
  const at::Tensor patches = at::linear(patch_rows(pictures.to(options()), patch), patch_weight_, patch_bias_);
  const at::Tensor first = class_token_.expand({pictures.size(0), 1, config_.dim});
  const at::Tensor x =
      at::cat({first, patches}, 1) + positions(pictures.size(2), pictures.size(3)).to(patches.scalar_type());
  return config_.has_pre_norm ? normed(x, pre_norm_) : x;
}

// Resizes by scale factors that are a tenth of a patch too large, the original's guard against rounding down; sampling
// follows the factor, not the size. Learned positions are used unchanged only if the frame is a square of the same
// number of patches.
at::Tensor Vit::positions(int64_t height, int64_t width) const {
  const int64_t grid = config_.grid, rows = height / config_.patch, columns = width / config_.patch;
  if (rows * columns == grid * grid && height == width) return positions_;
  SGF_CHECK(config_.resizes_positions, "{} needs square frames of {} pixels, got {}x{}", config_.network,
            grid * config_.patch, height, width);
  const at::Tensor learnt = positions_.slice(0, 1).t().reshape({1, config_.dim, grid, grid});
  const double side = static_cast<double>(grid);
  const at::Tensor resized =
      at::upsample_bicubic2d(learnt, {rows, columns}, /*align_corners=*/false, (static_cast<double>(rows) + 0.1) / side,
                             (static_cast<double>(columns) + 0.1) / side);
  return at::cat({positions_.slice(0, 0, 1), resized.flatten(2).squeeze(0).t()});
}

at::Tensor Vit::run_block(int64_t index, const at::Tensor& tokens, int64_t wanted) const {
  const Block& block = blocks_.at(static_cast<size_t>(index));
  const at::Tensor attention = attended(normed(tokens, block.norm1), block, wanted);
  const at::Tensor x = tokens.narrow(1, 0, wanted) + (block.scale1.defined() ? attention * block.scale1 : attention);
  const at::Tensor expansion = expanded(normed(x, block.norm2), block);
  return x + (block.scale2.defined() ? expansion * block.scale2 : expansion);
}

at::Tensor Vit::feature_of(const at::Tensor& tokens) const {
  at::Tensor x = tokens.select(1, 0);
  if (config_.has_final_norm) x = normed(x, final_norm_);
  if (config_.out_dim > 0) x = at::matmul(x, projection_);
  return wide(x);
}

at::Tensor Vit::normed(const at::Tensor& x, const Norm& norm) const {
  return at::layer_norm(wide(x), {config_.dim}, norm.weight, norm.bias, config_.norm_eps).to(x.scalar_type());
}

at::Tensor Vit::in_heads(const at::Tensor& rows) const {
  const int64_t width = config_.dim / config_.heads;
  return rows.view({rows.size(0), rows.size(1), -1, config_.heads, width}).permute({2, 0, 3, 1, 4});
}

at::Tensor Vit::attended(const at::Tensor& x, const Block& block, int64_t wanted) const {
  const int64_t dim = config_.dim;
  const auto heads_of = [&](const at::Tensor& rows, int64_t begin, int64_t count) {
    return in_heads(at::linear(rows, block.qkv.weight.narrow(0, begin * dim, count * dim),
                               block.qkv.bias.narrow(0, begin * dim, count * dim)));
  };
  const at::Tensor queries = heads_of(x.narrow(1, 0, wanted), 0, 1), keys_values = heads_of(x, 1, 2);
  const at::Tensor mixed = at::scaled_dot_product_attention(queries[0], keys_values[0], keys_values[1]);
  return at::linear(mixed.transpose(1, 2).reshape({x.size(0), wanted, dim}), block.out.weight, block.out.bias);
}

at::Tensor Vit::expanded(const at::Tensor& x, const Block& block) const {
  const at::Tensor hidden = at::linear(x, block.fc1.weight, block.fc1.bias);
  return at::linear(activated(hidden, config_.activation), block.fc2.weight, block.fc2.bias);
}

}  // namespace sgf
