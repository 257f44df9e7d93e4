// Pictures need no frame before them, no matter the batch or device; the codec inverts; prompts become rows.
#include "sgf/kernels/noise_fill.h"
#include "sgf/world/caption.h"
#include "sgf/world/codec.h"
#include "sgf/world/render.h"
#include "sgf/world/text.h"

#include "../core/refusal.h"
#include "sgf/core/device.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <gtest/gtest.h>

namespace sgf {
namespace {

using testing::HasSubstr;

class EveryWorldRendered : public testing::TestWithParam<const char*> {
 protected:
  // Pictures this small gain nothing from threads, and on a busy machine wait long for them.
  EveryWorldRendered() { at::set_num_threads(1); }
  ~EveryWorldRendered() override { at::set_num_threads(threads_); }

  at::Tensor clip(int64_t number, FrameSpan frames) const {
    return render(preset_, draw_scene(preset_, 1, number), frames);
  }

  // [clips, F, 3, H, W]
  at::Tensor clips(int64_t count, FrameSpan frames) const {
    std::vector<ClipSpan> batch;
    for (int64_t i = 0; i < count; ++i) batch.push_back({draw_scene(preset_, 1, i), frames});
    return render(preset_, batch);
  }

  WorldPreset preset_ = world_preset(GetParam());
  int threads_ = at::get_num_threads();
};

INSTANTIATE_TEST_SUITE_P(World, EveryWorldRendered, testing::Values("world-tiny", "world-small"));

TEST_P(EveryWorldRendered, FramesAloneEqualThoseOfALongRender) {
  const at::Tensor all = clip(3, {0, 106});
  EXPECT_TRUE(at::allclose(clip(3, {100, 106}), all.slice(0, 100, 106), 0, 1e-6));
  EXPECT_GT((clip(3, {99, 105}) - all.slice(0, 100, 106)).abs().max().item<double>(), 0.1);
}

TEST_P(EveryWorldRendered, AClipLooksTheSameInEveryBatch) {
  const at::Tensor batch = clips(6, {5, 9});
  for (int64_t i = 0; i < 6; ++i) EXPECT_TRUE(at::allclose(batch[i], clip(i, {5, 9}), 0, 1e-6)) << i;
}

TEST_P(EveryWorldRendered, PicturesLieInRangeAndMove) {
  const at::Tensor video = clip(0, {0, 8});
  EXPECT_EQ(video.sizes(), (std::vector<int64_t>{8, 3, preset_.size, preset_.size}));
  EXPECT_GE(video.min().item<double>(), 0);
  EXPECT_LE(video.max().item<double>(), 1);
  EXPECT_FALSE(at::equal(video[0], video[7]));
}

// An object's pixels sum to its area: a hard edge would be off by whole pixels as it moves.
TEST_P(EveryWorldRendered, EdgesAreSoftEnoughToKeepTheArea) {
  for (int64_t number = 0; number < 12; ++number) {
    WorldScene scene = draw_scene(preset_, 1, number), without = scene;
    for (SceneObject& object : without.objects) object.radius = 1e-6;
    scene.objects.front().pattern.period = 1e9;  // plain
    if (scene.objects.size() == 2) scene.objects.back().radius = 1e-6;
    const at::Tensor change = (render(preset_, scene, {0, 5}) - render(preset_, without, {0, 5})).abs().amax({1});
    const at::Tensor covered = (change > 0.02).to(at::kFloat).sum({1, 2});
    const double radius = scene.objects.front().radius, area = 3.14159265 * radius * radius;
    EXPECT_GT(covered.min().item<double>(), area) << "the soft rim lies around the area";
    EXPECT_LT(covered.max().item<double>(), area + 5 * radius + 16);
  }
}

TEST_P(EveryWorldRendered, LooksTheSameOnAGpu) {
  if (!cuda_is_available()) GTEST_SKIP() << "no GPU here";
  const at::Tensor on_gpu = render(preset_, draw_scene(preset_, 1, 2), {7, 12}, c10::Device("cuda"));
  EXPECT_LT((on_gpu.cpu() - clip(2, {7, 12})).abs().max().item<double>(), 1e-4);
}

TEST(Render, RefusesClipsOfUnequalLengthAndNone) {
  const WorldPreset preset = world_preset("world-tiny");
  const WorldScene scene = draw_scene(preset, 1, 1);
  EXPECT_THAT(refusal_of([&] {
                render(preset, {ClipSpan{scene, {0, 2}}, ClipSpan{scene, {0, 3}}});
              }),
              HasSubstr("the same number of frames"));
  EXPECT_THAT(refusal_of([&] { render(preset, std::vector<ClipSpan>{}); }), HasSubstr("no clips"));
  EXPECT_THAT(refusal_of([&] { render(world_preset("world-small"), scene, {0, 1}); }), HasSubstr("does not fit"));
}

at::Tensor test_noise(at::IntArrayRef sizes) {
  return normal({.seed = 1, .purpose = NoisePurpose::kTest}, sizes, at::kFloat);
}

TEST_P(EveryWorldRendered, CodecFindsTheLatentsOfWhatItDecoded) {
  const WorldCodec codec(preset_);
  const int64_t side = preset_.size / preset_.codec_patch;
  const at::Tensor latents = test_noise({2, 3, codec.latent_channels(), side, side});
  EXPECT_LT((codec.encode(codec.decode(latents)) - latents).abs().max().item<double>(), 1e-5);
}

TEST_P(EveryWorldRendered, CodecLosesLittleOfThePictures) {
  const WorldCodec codec(preset_);
  const at::Tensor video = clips(8, {0, 3}), lost = codec.decode(codec.encode(video)) - video;
  EXPECT_LT(lost.square().mean().sqrt().item<double>(), preset_.codec_bands == 0 ? 1e-6 : 0.03);
  EXPECT_GT((video - video.mean()).square().mean().sqrt().item<double>(), 0.15) << "the control: what there is to lose";
}

TEST_P(EveryWorldRendered, NoiseInLatentsIsAsStrongInPixels) {
  const WorldCodec codec(preset_);
  const at::Tensor latents = codec.encode(clips(1, {0, 3})), noise = test_noise(latents.sizes());
  const at::Tensor moved = codec.decode(latents + noise) - codec.decode(latents);
  EXPECT_NEAR(moved.norm().item<double>() / noise.norm().item<double>(), preset_.codec_spread, 1e-5);
}

TEST_P(EveryWorldRendered, LatentsLieAroundZeroAndNotFarFromUnitVariance) {
  const at::Tensor latents = WorldCodec(preset_).encode(clips(64, {0, 5}));
  EXPECT_NEAR(latents.mean().item<double>(), 0, 0.15);
  EXPECT_GT(latents.std().item<double>(), 0.5);
  EXPECT_LT(latents.std().item<double>(), 1.5);
}

TEST_P(EveryWorldRendered, DecoderStreamGivesTheFramesOfTheWhole) {
  const WorldCodec codec(preset_);
  const at::Tensor latents = codec.encode(clips(1, {0, 6}));
  const std::unique_ptr<DecoderStream> stream = codec.stream_decoder();
  const at::Tensor first = stream->next(latents.slice(1, 0, 2)), rest = stream->next(latents.slice(1, 2, 6));
  EXPECT_TRUE(at::equal(at::cat({first, rest}, 1), codec.decode(latents)));
}

TEST(Codec, RefusesWhatIsNoVideo) {
  const WorldCodec codec(world_preset("world-small"));
  EXPECT_THAT(refusal_of([&] { codec.encode(at::zeros({1, 3, 48, 48})); }), HasSubstr("[B, F, 3, H, W]"));
  EXPECT_THAT(refusal_of([&] { codec.encode(at::zeros({1, 1, 3, 48, 46})); }), HasSubstr("48 x 46"));
  EXPECT_THAT(refusal_of([&] { codec.decode(at::zeros({1, 1, 12, 8, 8})); }), HasSubstr("12 channels"));
}

TEST(WorldText, IsZeroAfterTheLastWordAndForNoPrompt) {
  const WorldTextEncoder encoder(world_preset("world-small"));
  const at::Tensor rows = encoder.encode({"a fast red disc on a grey field", ""});
  EXPECT_EQ(rows.sizes(), (std::vector<int64_t>{2, encoder.text_len(), encoder.text_dim()}));
  EXPECT_TRUE((rows[0].slice(0, 0, 8).abs().sum(1) > 0).all().item<bool>());
  EXPECT_EQ(rows[0].slice(0, 8).abs().sum().item<double>(), 0);
  EXPECT_EQ(rows[1].abs().sum().item<double>(), 0);
}

// Attention over text knows no order: as sets, the two would be equal if rows were words alone.
TEST(WorldText, TellsWhichColourBelongsToWhichShape) {
  const WorldTextEncoder encoder(world_preset("world-small"));
  const at::Tensor rows = encoder.encode({"a fast red disc and a fast blue square on a grey field",
                                          "a fast blue disc and a fast red square on a grey field"});
  EXPECT_GT((rows[0].square().sum(0) - rows[1].square().sum(0)).abs().max().item<double>(), 0.1);
}

TEST(WorldText, DoesNotDependOnTheBatch) {
  const WorldTextEncoder encoder(world_preset("world-tiny"));
  const std::string a = "a fast red disc on a grey field", b = "a slow blue square on a navy field";
  EXPECT_TRUE(at::equal(encoder.encode({a, b})[1], encoder.encode({b})[0]));
}

TEST(WorldText, RowsHaveUnitVariance) {
  const WorldTextEncoder encoder(world_preset("world-small"));
  std::string all;
  for (const std::string& word : world_vocabulary()) all += all.size() < 60 ? word + " " : "";
  const at::Tensor rows = encoder.encode({all})[0];
  const int64_t used = static_cast<int64_t>(world_tokens(all).size());
  EXPECT_NEAR(rows.slice(0, 0, used).std().item<double>(), 1, 0.2);
}

TEST(WorldText, RefusesStrangersAndNovels) {
  const WorldTextEncoder encoder(world_preset("world-tiny"));
  EXPECT_THAT(refusal_of([&] { encoder.encode({"a fast rad disc"}); }), HasSubstr("did you mean red?"));
  EXPECT_THAT(refusal_of([&] { encoder.encode({"a a a a a a a a a a a a a a a a a"}); }), HasSubstr("17 words"));
}

}  // namespace
}  // namespace sgf
