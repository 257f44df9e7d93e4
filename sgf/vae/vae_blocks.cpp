#include "sgf/vae/vae_blocks.h"

#include "sgf/kernels/wide.h"

#include <ATen/ATen.h>

#include <cmath>
#include <utility>

namespace sgf {
namespace {

// [B, C, T, H, W] <-> [B * T, C, H, W]; no copy if channels are last.
at::Tensor as_pictures(const at::Tensor& video) {
  return video.transpose(1, 2).reshape({video.size(0) * video.size(2), video.size(1), video.size(3), video.size(4)});
}

at::Tensor as_video(const at::Tensor& pictures, int64_t batch) {
  return pictures.view({batch, pictures.size(0) / batch, pictures.size(1), pictures.size(2), pictures.size(3)})
      .transpose(1, 2);
}

// Norm, SiLU and convolution; if requested, `sum` receives the input of the norm.
at::Tensor normed_conv(const ChannelSum& x, const ChannelNorm& norm, const CausalConv& conv, VaeState& state,
                       at::Tensor* sum) {
  const at::Tensor buffer = conv.buffer(x.x, state);
  const at::Tensor kept = channel_norm(x, norm, CausalConv::fresh(buffer));
  if (sum != nullptr) *sum = kept;
  return conv(buffer, state);
}

// Attention of q, k and v, [N, 1, L, C]. GPU flash kernels support at most 256 channels. Beyond that, two 16-bit
// matmuls around a float32 softmax are fast; one frame at a time keeps a single score matrix in memory.
at::Tensor attend(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v) {
  const bool is_too_wide = q.is_cuda() && q.scalar_type() == at::kBFloat16 && q.size(3) > 256;
  if (!is_too_wide) return at::scaled_dot_product_attention(q, k, v);
  std::vector<at::Tensor> seen;
  for (int64_t n = 0; n < q.size(0); ++n) {
    at::Tensor scores = at::bmm(q[n], k[n].transpose(1, 2), at::kFloat);
    scores = at::softmax(scores.div_(std::sqrt(static_cast<double>(q.size(3)))), -1).to(v.scalar_type());
    seen.push_back(at::bmm(scores, v[n]));
  }
  return at::stack(seen);
}

// Nearest x2 before a 3x3 convolution repeats pixels, so taps that meet the same pixel can be summed beforehand. What
// is left is a 2x2 convolution of the small frame for each of the four output pixels: 4 multiplications per pixel
// instead of 9, and no large frame in between. [C', C, 3, 3] -> [4 C', C, 2, 2], for pixels (0,0) (0,1) (1,0) (1,1).
at::Tensor taps_of_doubling(const at::Tensor& weight) {
  const at::Tensor taps = at::tensor({1., 0., 0., 0., 1., 1., 1., 1., 0., 0., 0., 1.}, at::kDouble).view({2, 2, 3});
  const at::Tensor here = taps.to(weight.options().dtype(wide(weight).scalar_type()));
  return at::einsum("aik,bjl,ockl->abocij", {here, here, wide(weight)})
      .reshape({4 * weight.size(0), weight.size(1), 2, 2})
      .to(weight.scalar_type());
}

// [N, C, H, W] as [N, H, W, C]. If channels are contiguous on a GPU, four 16-bit values become one word: a strided copy
// moves one word at a time.
at::Tensor as_words(const at::Tensor& pictures, int64_t channels) {
  const at::Tensor last = pictures.permute({0, 2, 3, 1});
  const bool pays = last.is_cuda() && last.element_size() == 2 && channels % 4 == 0 && last.stride(3) == 1;
  return pays ? last.view(at::kDouble) : last;
}

// [N, 4 C, H + 1, W + 1] from that convolution, padded by one, to [N, C, 2 H, 2 W].
at::Tensor weave(const at::Tensor& four) {
  const int64_t channels = four.size(1) / 4, height = four.size(2) - 1, width = four.size(3) - 1;
  const at::Tensor out =
      at::empty({four.size(0), channels, 2 * height, 2 * width}, four.options(), picture_layout(four));
  const at::Tensor to = as_words(out, channels), from = as_words(four.contiguous(picture_layout(four)), channels);
  for (int64_t a = 0; a < 2; ++a)
    for (int64_t b = 0; b < 2; ++b) {
      const at::Tensor pixel = from.narrow(3, (2 * a + b) * to.size(3), to.size(3));
      to.slice(1, a, std::nullopt, 2)
          .slice(2, b, std::nullopt, 2)
          .copy_(pixel.narrow(1, a, height).narrow(2, b, width));
    }
  return out;
}

// [B, 2 C, T, H, W], the channels of two frames, to [B, C, 2 T, H, W].
at::Tensor interleave_frames(const at::Tensor& pairs) {
  const int64_t batch = pairs.size(0), channels = pairs.size(1) / 2, frames = pairs.size(2);
  return pairs.permute({0, 2, 3, 4, 1})
      .reshape({batch, frames, pairs.size(3), pairs.size(4), 2, channels})
      .permute({0, 1, 4, 2, 3, 5})
      .reshape({batch, 2 * frames, pairs.size(3), pairs.size(4), channels})
      .permute({0, 4, 1, 2, 3})
      .contiguous(video_layout(pairs));
}

}  // namespace

VaeResidual::VaeResidual(VaeParts& parts, const std::string& name)
    : first_gamma_(parts.wide_vector(name + ".residual.0.gamma")),
      second_gamma_(parts.wide_vector(name + ".residual.3.gamma")),
      first_(parts, name + ".residual.2"),
      second_(parts, name + ".residual.6"),
      bias_(second_.bias()) {
  if (!parts.weights.tensors.contains(name + ".shortcut.weight")) return;
  shortcut_ = parts.weights.at(name + ".shortcut.weight").flatten(1);
  bias_ = bias_ + parts.wide_vector(name + ".shortcut.bias");
}

at::Tensor VaeResidual::shortcut(const at::Tensor& x) const {
  if (!shortcut_.defined()) return x;
  if (x.is_cuda()) return at::linear(x.permute({0, 2, 3, 4, 1}), shortcut_).permute({0, 4, 1, 2, 3});
  return at::conv3d(x, shortcut_.view({shortcut_.size(0), shortcut_.size(1), 1, 1, 1}));
}

ChannelSum VaeResidual::operator()(ChannelSum x, VaeState& state) const {
  at::Tensor sum;
  at::Tensor y = normed_conv(x, {.gamma = first_gamma_}, first_, state, &sum);
  x = {.x = std::move(y), .bias = first_.bias()};
  y = normed_conv(x, {.gamma = second_gamma_, .keeps_sum = false}, second_, state, nullptr);
  return {.x = std::move(y), .bias = bias_, .residual = shortcut(sum)};
}

VaeAttention::VaeAttention(const VaeParts& parts, const std::string& name)
    : gamma_(parts.wide_vector(name + ".norm.gamma")),
      qkv_weight_(parts.weights.at(name + ".to_qkv.weight").flatten(1)),
      qkv_bias_(parts.weights.at(name + ".to_qkv.bias")),
      proj_weight_(parts.weights.at(name + ".proj.weight").flatten(1)),
      proj_bias_(parts.wide_vector(name + ".proj.bias")) {}

ChannelSum VaeAttention::operator()(ChannelSum in, VaeState&) const {
  const at::Tensor normed = at::empty(in.x.sizes(), in.x.options(), video_layout(in.x));
  const at::Tensor x = channel_norm(in, {.gamma = gamma_, .activation = ChannelActivation::kNone}, normed);
  const int64_t batch = x.size(0), channels = x.size(1), frames = x.size(2), height = x.size(3), width = x.size(4);
  const at::Tensor tokens = normed.permute({0, 2, 3, 4, 1}).reshape({batch * frames, 1, height * width, channels});
  const std::vector<at::Tensor> qkv = at::linear(tokens, qkv_weight_, qkv_bias_).chunk(3, -1);
  const at::Tensor seen = at::linear(attend(qkv[0], qkv[1], qkv[2]), proj_weight_);
  return {.x = seen.reshape({batch, frames, height, width, channels}).permute({0, 4, 1, 2, 3}),
          .bias = proj_bias_,
          .residual = x};
}

VaeDownsample::VaeDownsample(VaeParts& parts, const VaeLayer& layer)
    : weight_(parts.placed(layer.name + ".resample.1.weight")),
      bias_(parts.wide_vector(layer.name + ".resample.1.bias")) {
  if (!layer.is_temporal) return;
  time_weight_ = parts.placed(layer.name + ".time_conv.weight");
  time_bias_ = parts.wide_vector(layer.name + ".time_conv.bias");
  slot_ = parts.take_slot(layer.name + ".time_conv");
}

ChannelSum VaeDownsample::operator()(ChannelSum in, VaeState& state) const {
  const at::Tensor x = channel_sum(in);
  const int64_t batch = x.size(0);
  const at::Tensor padded = at::constant_pad_nd(as_pictures(x), {0, 1, 0, 1});
  ChannelSum half{.x = as_video(at::conv2d(padded, weight_, /*bias=*/{}, /*stride=*/2), batch), .bias = bias_};
  return time_weight_.defined() ? halve_time(channel_sum(half), state) : half;
}

// The first frame passes unchanged; later frames are read together with the last frame before them.
ChannelSum VaeDownsample::halve_time(const at::Tensor& x, VaeState& state) const {
  const at::Tensor past = std::exchange(state.history[slot_], x.narrow(2, x.size(2) - 1, 1).clone());
  if (state.is_first()) return {.x = x};
  return {.x = at::conv3d(at::cat({past, x}, 2), time_weight_, /*bias=*/{}, /*stride=*/{2, 1, 1}), .bias = time_bias_};
}

VaeUpsample::VaeUpsample(VaeParts& parts, const VaeLayer& layer)
    : time_(layer.is_temporal ? std::make_unique<CausalConv>(parts, layer.name + ".time_conv") : nullptr),
      weight_(taps_of_doubling(parts.weights.at(layer.name + ".resample.1.weight"))),
      bias_(parts.wide_vector(layer.name + ".resample.1.bias")) {
  weight_ = weight_.contiguous(picture_layout(weight_));
}

ChannelSum VaeUpsample::operator()(ChannelSum in, VaeState& state) const {
  at::Tensor x = channel_sum(in);
  in = {};
  if (time_ != nullptr && !state.is_first()) x = double_time(x, state);
  const int64_t batch = x.size(0);
  const at::Tensor four = at::conv2d(as_pictures(x), weight_, /*bias=*/{}, /*stride=*/1, /*padding=*/1);
  return {.x = as_video(weave(four), batch), .bias = bias_};
}

at::Tensor VaeUpsample::double_time(const at::Tensor& x, VaeState& state) const {
  return interleave_frames(channel_sum({.x = time_->apply(x, state), .bias = time_->bias()}));
}

}  // namespace sgf
