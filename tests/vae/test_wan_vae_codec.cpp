// The VAE as a codec: pieces of any length give the same pixels, a saved stream goes on, wrong input is named.
#include "sgf/core/device.h"
#include "sgf/core/error.h"
#include "tests/vae/tiny_vae.h"

#include <gtest/gtest.h>

namespace sgf {
namespace {

using testing::in_pieces;
using testing::largest_difference;
using testing::test_normal;
using testing::test_video;
using testing::tiny_codec;

TEST(WanVaeCodec, FramesAndLatentsAreCountedAsTheFirstAndGroupsOfFour) {
  const WanVaeCodec codec = tiny_codec();
  EXPECT_EQ(codec.latent_frames(0), 0);
  EXPECT_EQ(codec.latent_frames(1), 1);
  EXPECT_EQ(codec.latent_frames(81), 21);
  EXPECT_EQ(codec.latent_frames(84), 21);
  EXPECT_EQ(codec.picture_frames(21), 81);
  EXPECT_EQ(codec.dropped_frames(84), 3);
  EXPECT_NE(codec.drop_warning(84).find("the last 3 of 84 frames are left out"), std::string::npos);
  EXPECT_EQ(codec.drop_warning(81), "");
}

TEST(WanVaeCodec, DecodingInUnevenPiecesIsTheSameToTheBitOnACpu) {
  const WanVaeCodec codec = tiny_codec();
  const at::Tensor latents = test_normal({2, 6, 4, 3, 5});
  const at::Tensor whole = codec.decode(latents);
  EXPECT_EQ(whole.sizes(), (at::IntArrayRef{2, 21, 3, 12, 20}));
  for (const std::vector<int64_t>& counts : {std::vector<int64_t>{1, 2, 3}, {2, 0, 4}, {1, 1, 1, 1, 1, 1}, {5, 1}})
    EXPECT_TRUE(at::equal(in_pieces(*codec.stream_decoder(), latents, counts), whole));
}

TEST(WanVaeCodec, SeveralLatentsAPassGiveTheSamePixels) {
  const at::Tensor latents = test_normal({1, 8, 4, 3, 5}), whole = tiny_codec().decode(latents);
  for (const int64_t together : {2, 3, 7}) {
    const WanVaeCodec codec = tiny_codec({.vae = {.latents_per_pass = together}});
    EXPECT_LT(largest_difference(codec.decode(latents), whole), 1e-12) << together;
    EXPECT_LT(largest_difference(in_pieces(*codec.stream_decoder(), latents, {3, 1, 4}), whole), 1e-12) << together;
  }
}

TEST(WanVaeCodec, WhatCameBeforeShowsInThePixels) {
  const WanVaeCodec codec = tiny_codec();
  const at::Tensor latents = test_normal({1, 3, 4, 3, 5});
  const at::Tensor alone = codec.decode(latents.narrow(1, 2, 1)), within = codec.decode(latents);
  EXPECT_GT(largest_difference(alone.select(1, 0), within.select(1, 8)), 1e-3);
}

TEST(WanVaeCodec, EncodingInUnevenPiecesIsTheSameToTheBitOnACpu) {
  const WanVaeCodec codec = tiny_codec();
  const at::Tensor video = test_video({2, 15, 3, 8, 12});
  const at::Tensor whole = codec.encode(video);
  EXPECT_EQ(whole.sizes(), (at::IntArrayRef{2, 4, 4, 2, 3}));
  EXPECT_TRUE(at::equal(codec.encode(video.narrow(1, 0, 13)), whole));  // two pictures wait for more in vain
  for (const std::vector<int64_t>& counts : {std::vector<int64_t>{1, 4, 4, 6}, {3, 3, 3, 3, 3}, {15}, {0, 2, 13}})
    EXPECT_TRUE(at::equal(in_pieces(*codec.stream_encoder(), video, counts), whole));
  const WanVaeCodec together = tiny_codec({.vae = {.latents_per_pass = 3}});
  EXPECT_LT(largest_difference(together.encode(video), whole), 1e-12);
}

TEST(WanVaeCodec, ARestoredStreamGoesOnToTheBit) {
  for (const int64_t seen : {0, 1, 2, 3}) {
    const WanVaeCodec codec = tiny_codec({}, at::kFloat);
    const at::Tensor latents = test_normal({1, 5, 4, 3, 5}, 0, at::kFloat);
    const auto stream = codec.stream_decoder(), other = codec.stream_decoder();
    if (seen > 0) stream->next(latents.narrow(1, 0, seen));
    other->next(latents.narrow(1, 4, 1));  // to be forgotten
    other->restore(stream->state());
    const at::Tensor rest = latents.narrow(1, seen, 5 - seen);
    EXPECT_TRUE(at::equal(other->next(rest), stream->next(rest))) << seen;
  }
}

TEST(WanVaeCodec, AStateOfAnotherKindIsRefused) {
  const WanVaeCodec codec = tiny_codec();
  const auto stream = codec.stream_decoder();
  stream->next(test_normal({1, 2, 4, 3, 5}));
  const NamedTensors good = stream->state();
  NamedTensors unknown = good, narrow = good, countless = good;
  unknown.emplace_back("history.decoder.conv9", at::zeros({1}));
  narrow.back().second = narrow.back().second.to(at::kFloat);
  countless.erase(countless.begin());
  for (const NamedTensors& bad : {unknown, narrow, countless}) EXPECT_THROW(stream->restore(bad), Error);
  EXPECT_NO_THROW(stream->restore(good));
}

TEST(WanVaeCodec, AStateKeepsNoMoreThanTwoFramesAConvolution) {
  const WanVaeCodec codec = tiny_codec();
  const auto stream = codec.stream_decoder();
  stream->next(test_normal({1, 9, 4, 3, 5}));
  for (const auto& [name, tensor] : stream->state()) {
    if (name == "latents") continue;
    EXPECT_EQ(tensor.size(2), 2) << name;
  }
}

TEST(WanVaeCodec, LatentsAreNormalisedByTheScaleGiven) {
  const at::Tensor video = test_video({1, 5, 3, 8, 8});
  const LatentScale scale{{1, 2, 3, 4}, {2, 4, 8, 16}};
  const WanVaeCodec plain = tiny_codec(), scaled = tiny_codec({.scale = scale});
  const at::Tensor mean = at::tensor(scale.mean, at::kDouble).view({1, 1, 4, 1, 1});
  const at::Tensor deviation = at::tensor(scale.deviation, at::kDouble).view({1, 1, 4, 1, 1});
  const at::Tensor latents = scaled.encode(video);
  EXPECT_LT(largest_difference(latents * deviation + mean, plain.encode(video)), 1e-12);
  EXPECT_LT(largest_difference(scaled.decode(latents), plain.decode(latents * deviation + mean)), 1e-12);
  EXPECT_THROW(tiny_codec({.scale = LatentScale{{1}, {1}}}), Error);
  EXPECT_THROW(tiny_codec({.scale = LatentScale{{1, 2, 3, 4}, {1, 0, 1, 1}}}), Error);
}

TEST(WanVaeCodec, Bfloat16StaysNear) {
  const at::Tensor latents = test_normal({1, 3, 4, 4, 4});
  const at::Tensor exact = tiny_codec().decode(latents), rough = tiny_codec({}, at::kBFloat16).decode(latents);
  EXPECT_EQ(rough.scalar_type(), at::kFloat);
  EXPECT_LT((rough - exact).norm().item<double>() / (exact - 0.5).norm().item<double>(), 0.03);
}

// Wide enough that attention leaves the library's kernels, with widths that its vectors do not fill.
TEST(WanVaeCodec, AGpuGivesTheSamePixelsToRounding) {
  if (!cuda_is_available()) GTEST_SKIP() << "no CUDA device";
  const VaeConfig config{.dim = 80, .z_dim = 4, .dim_mult = {1, 4}, .num_res_blocks = 1, .temporal_downsample = {true}};
  const VaeWeights weights = random_vae_weights(config, 3, at::kFloat);
  const at::Tensor video = test_video({2, 9, 3, 16, 24}), latents = test_normal({2, 5, 4, 8, 12});
  const WanVaeCodec cpu(weights);
  for (const auto dtype : {at::kFloat, at::kBFloat16}) {
    const auto options = at::TensorOptions().dtype(dtype).device(at::kCUDA);
    const WanVaeCodec gpu(random_vae_weights(config, 3, options));
    const auto away = [](const at::Tensor& ours, const at::Tensor& exact) {
      return ((ours.cpu() - exact).norm() / exact.norm()).item<double>();
    };
    const double tolerance = dtype == at::kFloat ? 1e-5 : 3e-2;
    EXPECT_LT(away(gpu.decode(latents), cpu.decode(latents)), tolerance);
    EXPECT_LT(away(in_pieces(*gpu.stream_decoder(), latents, {1, 3, 1}), cpu.decode(latents)), tolerance);
    EXPECT_LT(away(gpu.encode(video), cpu.encode(video)), tolerance);
  }
}

TEST(WanVaeCodec, OtherSizesAndPatternsOfTimeWork) {
  for (const VaeConfig& config :
       {VaeConfig{.dim = 4, .z_dim = 2, .dim_mult = {1}, .num_res_blocks = 1, .temporal_downsample = {}},
        VaeConfig{
            .dim = 4, .z_dim = 2, .dim_mult = {2, 1, 2}, .num_res_blocks = 2, .temporal_downsample = {true, false}},
        VaeConfig{.dim = 4,
        .z_dim = 3,
        .dim_mult = {1, 1, 2, 1},
        .num_res_blocks = 1,
        .temporal_downsample = {true, true, true}}}) {
    const WanVaeCodec codec = tiny_codec({}, at::kDouble, config);
    const int64_t frames = 1 + 2 * config.group_pictures();
    const at::Tensor latents = codec.encode(test_video({1, frames, 3, 16, 16}));
    EXPECT_EQ(latents.size(1), codec.latent_frames(frames));
    EXPECT_EQ(codec.decode(latents).size(1), frames);
    EXPECT_TRUE(
        at::equal(in_pieces(*codec.stream_decoder(), latents, {2, latents.size(1) - 2}), codec.decode(latents)));
  }
}

TEST(WanVaeCodec, WrongInputIsNamed) {
  const WanVaeCodec codec = tiny_codec();
  EXPECT_THROW(codec.encode(test_video({1, 5, 3, 9, 8})), Error);  // no multiple of 4
  EXPECT_THROW(codec.encode(test_video({1, 0, 3, 8, 8})), Error);
  EXPECT_THROW(codec.encode(test_video({1, 5, 4, 8, 8})), Error);
  EXPECT_THROW(codec.decode(test_normal({1, 5, 3, 8, 8})), Error);
  const auto stream = codec.stream_decoder();
  stream->next(test_normal({1, 1, 4, 3, 5}));
  EXPECT_THROW(stream->next(test_normal({1, 1, 4, 5, 3})), Error);
}

}  // namespace
}  // namespace sgf
