#include "sgf/vbench/musiq.h"

#include "sgf/core/error.h"
#include "sgf/kernels/gpu_convolutions.h"
#include "sgf/kernels/wide.h"
#include "sgf/vbench/convolution.h"
#include "sgf/vbench/network_files.h"
#include "sgf/vbench/picture_padding.h"
#include "sgf/vbench/preprocess.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>
#include <fmt/format.h>

namespace sgf {
namespace {

constexpr int64_t kStemWidth = 64, kBlockWidth = 256, kGroups = 32;
constexpr double kRootEps = 1e-6, kBlockEps = 1e-4;
constexpr double kDeviationEps = 1e-5;  // for weight standardisation

// Padding for a stride of 2, so that the output has half of an even side; the larger half of the zeros is at the end.
at::Tensor padded_for_half(const at::Tensor& x, int64_t kernel) {
  const int64_t missing = kernel - 2, before = missing / 2, after = missing - before;
  return at::constant_pad_nd(x, {before, after, before, after});
}

int64_t patches_along(int64_t side, int64_t patch) { return (side + patch - 1) / patch; }

// Pads with zeros, the larger half at the end, then cuts: [F, 3, H, W] -> [F, L, 3, P, P].
at::Tensor cut(const at::Tensor& x, int64_t patch) {
  const int64_t rows = patches_along(x.size(2), patch), columns = patches_along(x.size(3), patch);
  const int64_t high = rows * patch - x.size(2), wide = columns * patch - x.size(3);
  const at::Tensor whole = at::constant_pad_nd(x, {wide / 2, wide - wide / 2, high / 2, high - high / 2});
  return whole.view({x.size(0), 3, rows, patch, columns, patch})
      .permute({0, 2, 4, 1, 3, 5})
      .reshape({x.size(0), rows * columns, 3, patch, patch});
}

at::Tensor places_of(const at::Tensor& x, const MusiqConfig& config) {
  const int64_t rows = patches_along(x.size(2), config.patch_size);
  const int64_t columns = patches_along(x.size(3), config.patch_size);
  std::vector<int64_t> places;
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t column = 0; column < columns; ++column)
      places.push_back(musiq_place(row, rows, config.grid_size) * config.grid_size +
                       musiq_place(column, columns, config.grid_size));
  return at::tensor(places, at::kLong).to(x.device());
}

// The frame at every size; the original size is last.
std::vector<at::Tensor> sizes_of(const at::Tensor& pictures, const MusiqConfig& config) {
  std::vector<at::Tensor> out;
  for (const int64_t longer : config.longer_sides) {
    const PictureSize size = musiq_size({pictures.size(2), pictures.size(3)}, longer);
    SGF_CHECK(size.height > 0 && size.width > 0, "MUSIQ cannot score a frame as thin as {}x{}", pictures.size(2),
              pictures.size(3));
    out.push_back(at::upsample_bicubic2d(pictures, {size.height, size.width}, /*align_corners=*/false));
  }
  out.push_back(pictures);
  return out;
}

constexpr double kMusiqEps = 1e-6;

// Frames whose patches are encoded together: at most 18 MB of activations each.
int64_t musiq_batch(at::Device device) { return device.is_cpu() ? 4 : 32; }

}  // namespace

int64_t musiq_place(int64_t index, int64_t count, int64_t grid_size) { return index * grid_size / count; }

MusiqPatches musiq_patches(const at::Tensor& pictures, const MusiqConfig& config) {
  std::vector<at::Tensor> patches, places, scales;
  MusiqPatches out;
  for (const at::Tensor& x : sizes_of(pictures, config)) {
    patches.push_back(cut(x, config.patch_size));
    places.push_back(places_of(x, config));
    scales.push_back(at::full_like(places.back(), static_cast<int64_t>(scales.size())));
    out.counts.push_back(patches.back().size(1));
  }
  out.patches = at::cat(patches, 1);
  out.places = at::cat(places);
  out.scales = at::cat(scales);
  return out;
}

MusiqStem::MusiqStem(NetworkWeights& weights, const MusiqConfig& config)
    : root_(take_standardised(weights, "conv_root", {kStemWidth, 3, 7, 7})),
      first_(take_standardised(weights, "block1.conv1", {kStemWidth, kStemWidth, 1, 1})),
      second_(take_standardised(weights, "block1.conv2", {kStemWidth, kStemWidth, 3, 3})),
      third_(take_standardised(weights, "block1.conv3", {kBlockWidth, kStemWidth, 1, 1})),
      projection_(take_standardised(weights, "block1.conv_proj", {kBlockWidth, kStemWidth, 1, 1})),
      root_norm_(take_norm(weights, "gn_root", kStemWidth, kRootEps)),
      first_norm_(take_norm(weights, "block1.gn1", kStemWidth, kBlockEps)),
      second_norm_(take_norm(weights, "block1.gn2", kStemWidth, kBlockEps)),
      third_norm_(take_norm(weights, "block1.gn3", kBlockWidth, kBlockEps)),
      projection_norm_(take_norm(weights, "block1.gn_proj", kBlockWidth, kBlockEps)),
      embedding_weight_(weights.take(
          "embedding.weight", {config.hidden_size, kBlockWidth * (config.patch_size / 4) * (config.patch_size / 4)})),
      embedding_bias_(weights.take("embedding.bias", {config.hidden_size})) {}

at::Tensor MusiqStem::take_standardised(NetworkWeights& weights, const std::string& name, at::IntArrayRef shape) {
  const at::Tensor weight = weights.take_wide(name + ".weight", shape);
  const at::Tensor centred = weight - weight.mean({1, 2, 3}, /*keepdim=*/true);
  const at::Tensor deviation = weight.std(at::IntArrayRef{1, 2, 3}, /*unbiased=*/true, /*keepdim=*/true);
  return (centred / (deviation + kDeviationEps)).to(weights.options().dtype());
}

MusiqStem::GroupNorm MusiqStem::take_norm(NetworkWeights& weights, const std::string& name, int64_t width, double eps) {
  return {.weight = weights.take(name + ".weight", {width}), .bias = weights.take(name + ".bias", {width}), .eps = eps};
}

at::Tensor MusiqStem::GroupNorm::operator()(const at::Tensor& x) const {
  return at::group_norm(x, kGroups, weight, bias, eps);
}

at::Tensor MusiqStem::root(const at::Tensor& patches) const {
  return at::conv2d(padded_for_half(patches, 7), root_, /*bias=*/{}, /*stride=*/2);
}

at::Tensor MusiqStem::block(const at::Tensor& root) const {
  const at::Tensor normed = padded_for_half(root_norm_(root).relu_(), 3);
  const at::Tensor x = at::max_pool2d(in_layout(normed), /*kernel_size=*/3, /*stride=*/2).contiguous();
  const at::Tensor first = first_norm_(at::conv2d(x, first_)).relu_();
  const at::Tensor second = second_norm_(at::conv2d(first, second_, /*bias=*/{}, /*stride=*/1, /*padding=*/1)).relu_();
  return third_norm_(at::conv2d(second, third_)).add_(projection_norm_(at::conv2d(x, projection_))).relu_();
}

// Channels last, as in TensorFlow.
at::Tensor MusiqStem::embedding(const at::Tensor& block) const {
  return at::linear(block.permute({0, 2, 3, 1}).flatten(1), embedding_weight_, embedding_bias_);
}

Musiq::Musiq(NetworkWeights weights, MusiqConfig config)
    : options_(weights.options()),
      config_(std::move(config)),
      stem_(weights, config_),
      place_rows_(weights
                      .take("transformer_encoder.posembed_input.position_emb",
                            {1, config_.grid_size * config_.grid_size, config_.hidden_size})
                      .squeeze(0)),
      scale_rows_(
          weights.take("transformer_encoder.scaleembed_input.scale_emb", {config_.num_scales(), config_.hidden_size})),
      summary_row_(weights.take("transformer_encoder.cls", {1, 1, config_.hidden_size})),
      last_norm_(take_norm(weights, "transformer_encoder.encoder_norm", config_.hidden_size)),
      head_(take_linear(weights, "head", config_.hidden_size, 1)) {
  SGF_CHECK(config_.hidden_size % config_.num_heads == 0 && config_.patch_size % 4 == 0,
            "MUSIQ's width {} must be a multiple of its {} heads, and its patch size {} a multiple of 4",
            config_.hidden_size, config_.num_heads, config_.patch_size);
  for (int64_t i = 0; i < config_.num_layers; ++i)
    layers_.push_back(take_layer(weights, fmt::format("transformer_encoder.transformer.encoderblock_{}", i)));
  weights.finish("MUSIQ");
}

Musiq::Linear Musiq::take_linear(NetworkWeights& weights, const std::string& name, int64_t in, int64_t out) {
  return {.weight = weights.take(name + ".weight", {out, in}), .bias = weights.take(name + ".bias", {out})};
}

Musiq::LayerNorm Musiq::take_norm(NetworkWeights& weights, const std::string& name, int64_t width) {
  return {.weight = weights.take(name + ".weight", {width}), .bias = weights.take(name + ".bias", {width})};
}

Musiq::Layer Musiq::take_layer(NetworkWeights& weights, const std::string& name) const {
  const int64_t width = config_.hidden_size;
  const Linear query = take_linear(weights, name + ".attention.query", width, width);
  const Linear key = take_linear(weights, name + ".attention.key", width, width);
  const Linear value = take_linear(weights, name + ".attention.value", width, width);
  return {.attention_norm = take_norm(weights, name + ".norm1", width),
          .mlp_norm = take_norm(weights, name + ".norm2", width),
          .qkv = {at::cat({query.weight, key.weight, value.weight}), at::cat({query.bias, key.bias, value.bias})},
          .out = take_linear(weights, name + ".attention.out", width, width),
          .widen = take_linear(weights, name + ".mlp.fc1", width, config_.mlp_dim),
          .narrow = take_linear(weights, name + ".mlp.fc2", config_.mlp_dim, width)};
}

at::Tensor Musiq::Linear::operator()(const at::Tensor& x) const { return at::linear(x, weight, bias); }

at::Tensor Musiq::LayerNorm::operator()(const at::Tensor& x) const {
  return at::layer_norm(x, {x.size(-1)}, weight, bias, kMusiqEps);
}

MusiqPatches Musiq::patches(const at::Tensor& pictures) const {
  const at::NoGradGuard no_grad;
  check_pictures(pictures, "MUSIQ");
  const at::ScalarType type = wide_type(c10::typeMetaToScalarType(options_.dtype()));
  const at::Tensor prepared = imaging_transform(pictures.to(options_.device()), type);
  MusiqPatches out = musiq_patches((prepared - 0.5) * 2, config_);
  out.patches = out.patches.to(options_.dtype());
  return out;
}

at::Tensor Musiq::attend(const Layer& layer, const at::Tensor& x) const {
  const int64_t batch = x.size(0), length = x.size(1), heads = config_.num_heads;
  const at::Tensor qkv = layer.qkv(x).view({batch, length, 3, heads, -1}).permute({2, 0, 3, 1, 4});
  const at::Tensor seen = at::scaled_dot_product_attention(qkv[0], qkv[1], qkv[2]);
  return layer.out(seen.transpose(1, 2).flatten(2));
}

at::Tensor Musiq::summary(const MusiqPatches& patches) const {
  const at::NoGradGuard no_grad;
  const GpuConvolutions convolutions(patches.patches, /*tries=*/true);
  const int64_t batch = patches.patches.size(0), length = patches.patches.size(1);
  at::Tensor x = stem_.embedding(stem_.block(stem_.root(patches.patches.flatten(0, 1)))).view({batch, length, -1});
  x = x + place_rows_.index_select(0, patches.places) + scale_rows_.index_select(0, patches.scales);
  x = at::cat({summary_row_.expand({batch, 1, -1}), x}, 1);
  for (const Layer& layer : layers_) {
    x = x + attend(layer, layer.attention_norm(x));
    x = x + layer.narrow(at::gelu(layer.widen(layer.mlp_norm(x))));
  }
  return last_norm_(x.select(1, 0));
}

at::Tensor Musiq::score(const at::Tensor& summary) const { return wide(head_(summary).squeeze(1)); }

at::Tensor Musiq::scores(const at::Tensor& pictures) const {
  check_pictures(pictures, "MUSIQ");
  std::vector<at::Tensor> out;
  for (const at::Tensor& some : pictures.split(musiq_batch(options_.device())))
    out.push_back(score(summary(patches(some))));
  return at::cat(out);
}

Musiq load_musiq(const std::filesystem::path& path, at::TensorOptions options) {
  const TensorFile file = open_tensor_file(path);
  return Musiq(weights_of_file(file, options, prefix_before(file, "conv_root.weight")));
}

}  // namespace sgf
