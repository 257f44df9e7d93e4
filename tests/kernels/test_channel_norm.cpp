// The VAE's norm: what it is by definition, and the GPU's kernel against its twin.
#include "sgf/core/device.h"
#include "sgf/core/error.h"
#include "sgf/kernels/channel_norm.h"
#include "sgf/kernels/noise_fill.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cmath>

namespace sgf {
namespace {

at::Tensor drawn(int64_t sample, at::IntArrayRef shape, at::TensorOptions options = at::kDouble) {
  return normal({.seed = 11, .purpose = NoisePurpose::kTest, .sample = sample}, shape, options);
}

TEST(ChannelNorm, IsTheUnitVectorOfEveryPixelScaledAndActivated) {
  const at::Tensor x = drawn(0, {2, 6, 3, 2, 2}), gamma = drawn(1, {6}), out = at::empty_like(x);
  channel_norm({.x = x}, {.gamma = gamma, .activation = ChannelActivation::kNone}, out);
  const at::Tensor pixel = x.select(0, 1).select(1, 2).select(1, 0).select(1, 1);
  const at::Tensor expected = pixel / pixel.norm() * std::sqrt(6.0) * gamma;
  EXPECT_TRUE(at::allclose(out.select(0, 1).select(1, 2).select(1, 0).select(1, 1), expected, 1e-12, 1e-12));
  const at::Tensor activated = at::empty_like(x);
  channel_norm({.x = x}, {.gamma = gamma}, activated);
  EXPECT_TRUE(at::allclose(activated, at::silu(out), 1e-12, 1e-12));
}

TEST(ChannelNorm, AddsBiasAndShortcutFirstAndGivesTheSumBack) {
  const at::Tensor x = drawn(0, {1, 6, 3, 2, 2}), bias = drawn(1, {6}), shortcut = drawn(2, {1, 6, 3, 2, 2});
  const at::Tensor gamma = drawn(3, {6}), added = x + bias.view({1, 6, 1, 1, 1}) + shortcut;
  const at::Tensor out = at::empty_like(x), plain = at::empty_like(x);
  const at::Tensor sum = channel_norm({x, bias, shortcut}, {.gamma = gamma}, out);
  channel_norm({.x = added}, {.gamma = gamma}, plain);
  EXPECT_TRUE(at::allclose(sum, added, 1e-12, 1e-12));
  EXPECT_TRUE(at::allclose(out, plain, 1e-12, 1e-12));
  EXPECT_TRUE(at::allclose(channel_sum({x, bias, shortcut}), added, 1e-12, 1e-12));
  EXPECT_FALSE(channel_norm({x, bias, shortcut}, {.gamma = gamma, .keeps_sum = false}, out).defined());
}

TEST(ChannelNorm, APixelOfZerosStaysZero) {
  const at::Tensor x = at::zeros({1, 4, 1, 1, 1}, at::kDouble), out = at::empty_like(x);
  channel_norm({.x = x}, {.gamma = at::ones({4}, at::kDouble)}, out);
  EXPECT_EQ(out.abs().max().item<double>(), 0);
}

TEST(ChannelNorm, SizesThatDoNotFitAreRefused) {
  const at::Tensor x = drawn(0, {1, 4, 1, 2, 2}), out = at::empty_like(x);
  EXPECT_THROW(channel_norm({.x = x}, {.gamma = at::ones({5})}, out), Error);
  EXPECT_THROW(channel_norm({x, at::ones({3})}, {.gamma = at::ones({4})}, out), Error);
  EXPECT_THROW(channel_norm({.x = x, .residual = x.narrow(2, 0, 0)}, {.gamma = at::ones({4})}, out), Error);
}

// The kernel writes into the last frames of a longer tensor, samples apart, as the convolutions ask for.
TEST(ChannelNorm, TheGpusKernelIsItsTwin) {
  if (!cuda_is_available()) GTEST_SKIP() << "no CUDA device";
  for (const auto dtype : {at::kFloat, at::kBFloat16})
    for (const int64_t channels : {8, 96, 192, 384, 1024}) {
      const at::TensorOptions options = at::TensorOptions().dtype(dtype).device(at::kCUDA);
      const auto last = at::MemoryFormat::ChannelsLast3d;
      const at::Tensor x = drawn(0, {2, channels, 3, 5, 7}, options).contiguous(last);
      const ChannelSum parts{x, drawn(1, {channels}, options), drawn(2, x.sizes(), options).contiguous(last)};
      const ChannelNorm norm{.gamma = drawn(3, {channels}, options)};
      const auto buffer = [&] { return at::zeros({2, channels, 5, 5, 7}, options).contiguous(last); };
      const at::Tensor ours = buffer(), plain = buffer();
      const at::Tensor sum = channel_norm(parts, norm, ours.narrow(2, 2, 3));
      const at::Tensor twin = channel_norm_reference(parts, norm, plain.narrow(2, 2, 3));
      const double tolerance = dtype == at::kFloat ? 1e-5 : 1e-2;
      EXPECT_TRUE(at::allclose(ours, plain, tolerance, tolerance)) << channels;
      EXPECT_TRUE(at::allclose(sum, twin, tolerance, tolerance)) << channels;
      EXPECT_TRUE(at::allclose(channel_sum(parts), channel_sum_reference(parts), tolerance, tolerance)) << channels;
    }
}

}  // namespace
}  // namespace sgf
