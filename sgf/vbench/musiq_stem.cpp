#include "sgf/vbench/musiq_stem.h"

#include "sgf/vbench/convolution.h"

#include <ATen/ATen.h>

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

}  // namespace

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

}  // namespace sgf
