// Clips on disk are the clips that were rendered, listed with their captions; measured as files they score as true
// clips do, and under other captions they do not.
#include "sgf/world/clips.h"

#include "../core/refusal.h"
#include "../core/temporary_folder.h"
#include "../media/read_video.h"
#include "sgf/media/video_tensor.h"
#include "sgf/world/caption.h"
#include "sgf/world/files.h"
#include "sgf/world/render.h"
#include "sgf/world/texture.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cstdio>
#include <fstream>

namespace sgf {
namespace {

using sgf::testing::read_video;
using sgf::testing::TemporaryFolder;
using ::testing::HasSubstr;

constexpr int64_t kClipFrames = 33;

bool can_write_mp4() { return video_component() != "no FFmpeg"; }

const auto kSayNothing = [](int64_t) {};

class WorldClips : public ::testing::TestWithParam<std::tuple<const char*, ClipFormat>> {
 protected:
  void SetUp() override {
    if (files_.format == ClipFormat::kMp4 && !can_write_mp4()) GTEST_SKIP() << "built without FFmpeg";
    at::set_num_threads(1);  // as in test_world_measure
  }
  void TearDown() override { at::set_num_threads(threads_); }

  std::vector<CaptionedVideo> listed() const {
    std::vector<CaptionedVideo> videos;
    for (const ListedClip& clip : read_manifest(files_.folder / "manifest.json").clips) {
      videos.push_back({clip.file, clip.caption});
    }
    return videos;
  }
  MeasuredVideo mean_of(const std::vector<CaptionedVideo>& videos) const {
    return mean_video(measure_files(videos, order_.preset, 3, kSayNothing));
  }

  const TemporaryFolder folder_;
  const ClipOrder order_{
      .preset = world_preset(std::get<0>(GetParam())), .seed = 5, .clips = 10, .frames = kClipFrames};
  const ClipFiles files_{.folder = folder_ / "clips", .format = std::get<1>(GetParam())};
  const int threads_ = at::get_num_threads();
};

INSTANTIATE_TEST_SUITE_P(World, WorldClips,
                         ::testing::Combine(::testing::Values("world-tiny", "world-small"),
                                            ::testing::Values(ClipFormat::kMp4, ClipFormat::kPng)));

TEST_P(WorldClips, AreTheClipsThatWereRendered) {
  render_clips(order_, files_, kSayNothing);
  const std::vector<CaptionedVideo> videos = listed();
  ASSERT_EQ(videos.size(), 10u);
  const WorldScene scene = draw_scene(order_.preset, 5, 3);
  EXPECT_EQ(videos[3].caption, caption_text(scene.caption()));
  const bool is_exact = files_.format == ClipFormat::kPng;
  const at::Tensor read = shrink(read_video(videos[3].file), is_exact ? 1 : files_.enlarge);
  const at::Tensor error = (read - render(order_.preset, scene, {0, kClipFrames})).abs();
  std::printf("%s as %s: mean error %.5f, largest %.5f\n", order_.preset.name.c_str(), is_exact ? "png" : "mp4",
              error.mean().item<double>(), error.max().item<double>());
  EXPECT_LT(error.mean().item<double>(), is_exact ? 0.003 : 0.01);
  if (is_exact) {
    EXPECT_LT(error.max().item<double>(), 0.5 / 255 + 1e-6);
  }
}

TEST_P(WorldClips, MeasuredAsFilesScoreAsTrueClipsAndUnderOtherCaptionsDoNot) {
  render_clips(order_, files_, kSayNothing);
  std::vector<CaptionedVideo> own = listed(), other = own;
  for (size_t i = 0; i < own.size(); ++i) other[i].caption = own[(i + 1) % own.size()].caption;
  const MeasuredVideo truth = mean_of(own), wrong = mean_of(other);
  EXPECT_EQ(truth.score.segments.size(), 3u);
  EXPECT_GT(truth.score.whole.valid, 0.9);
  EXPECT_LT(wrong.score.whole.valid, 0.1);
  EXPECT_GT(truth.truth.valid, 0.95);
  EXPECT_LT(truth.score.whole.objects[0].identity_error, wrong.score.whole.objects[0].identity_error / 2);
}

TEST_P(WorldClips, OfOnePromptAllShowIt) {
  ClipOrder order = order_;
  order.clips = 2;
  order.caption = draw_caption(order.preset, 1, 1);
  render_clips(order, files_, kSayNothing);
  for (const CaptionedVideo& video : listed()) EXPECT_EQ(video.caption, caption_text(*order.caption));
}

// The control of enlarging: 4:2:0 keeps one colour for four pixels, which are a quarter of an object's width in the
// tiny world.
TEST(EnlargedClips, KeepTheColoursThatSmallOnesLose) {
  if (!can_write_mp4()) GTEST_SKIP() << "built without FFmpeg";
  const TemporaryFolder folder;
  const ClipOrder order{.preset = world_preset("world-tiny"), .seed = 5, .clips = 1, .frames = 8};
  const at::Tensor truth = render(order.preset, order.scene(0), {0, 8});
  const auto error_at = [&](int64_t scale) {
    const ClipFiles files{.folder = folder / std::to_string(scale), .enlarge = scale};
    render_clips(order, files, kSayNothing);
    return (shrink(read_video(files.folder / "clip_00000.mp4"), scale) - truth).abs().mean().item<double>();
  };
  EXPECT_LT(error_at(4), error_at(1) / 3);
}

class WorldFiles : public ::testing::Test {
 protected:
  std::string refusal(const std::filesystem::path& file, const std::string& caption, int64_t segments = 1) const {
    return refusal_of([&] { measure_files({{file, caption}}, world_preset("world-tiny"), segments, kSayNothing); });
  }
  std::filesystem::path pictures(const std::string& name, int64_t frames, int64_t side) const {
    std::filesystem::create_directory(folder_ / name);
    write_png_frames(folder_ / name, at::full({frames, 3, side, side}, 0.5));
    return folder_ / name;
  }

  const TemporaryFolder folder_;
  const std::string caption_ = "a fast red disc on a grey field";
};

TEST_F(WorldFiles, AreRefusedBeforeAnyWork) {
  const auto good = pictures("good", 2, 16);
  EXPECT_THAT(refusal(good, "a fast rde disc on a grey field"),
              HasSubstr("unknown word 'rde' in a caption; did you mean red?"));
  EXPECT_THAT(refusal(good, "a fast red disc and a slow blue disc on a grey field"), HasSubstr("names 2"));
  EXPECT_THAT(refusal(good, "a fast red disc"), HasSubstr("must be 'on', got the end"));
  EXPECT_THAT(refusal(good, caption_, 3), HasSubstr("2 frames, too few for 3 segments"));
  EXPECT_THAT(refusal(pictures("large", 2, 48), caption_), HasSubstr("world-small has this size"));
  EXPECT_THAT(refusal(pictures("odd", 2, 20), caption_), HasSubstr("is 20 x 20, but videos of world-tiny are 16 x 16"));
  EXPECT_THAT(refusal(pictures("flat", 2, 80), caption_), HasSubstr("is 80 x 80"));
  EXPECT_THAT(refusal(folder_ / "nowhere", caption_), HasSubstr("no such file"));
  std::filesystem::create_directory(folder_ / "empty");
  EXPECT_THAT(refusal(folder_ / "empty", caption_), HasSubstr("contains no .png files"));
}

TEST_F(WorldFiles, ABadSecondVideoStopsTheFirstFromBeingMeasured) {
  int64_t done = 0;
  EXPECT_THAT(refusal_of([&] {
                measure_files({{pictures("good", 2, 16), caption_}, {folder_ / "nowhere", caption_}},
                              world_preset("world-tiny"), 1, [&](int64_t) { ++done; });
              }),
              HasSubstr("nowhere"));
  EXPECT_EQ(done, 0);
}

TEST_F(WorldFiles, AnAbsentObjectHasNoErrorsInJson) {
  const auto measured =
      measure_files({{pictures("grey", 4, 16), caption_}}, world_preset("world-tiny"), 2, kSayNothing);
  const nlohmann::json object = to_json(measured.front())["whole"]["objects"][0];
  EXPECT_EQ(object["presence"], 0);
  EXPECT_EQ(object["identity_error"], 1);
  EXPECT_TRUE(object["colour_error"].is_null());
}

TEST_F(WorldFiles, ClipsGoToAnEmptyFolderOnly) {
  std::ofstream(folder_ / "something") << "here";
  const ClipOrder order{.preset = world_preset("world-tiny"), .clips = 1, .frames = 2};
  const ClipFiles files{.folder = folder_.path(), .format = ClipFormat::kPng};
  EXPECT_THAT(refusal_of([&] { render_clips(order, files, kSayNothing); }), HasSubstr("is not empty"));
}

TEST_F(WorldFiles, ClipsWithoutEndAreRefused) {
  for (const auto& [clips, frames] : {std::pair{int64_t{1}, INT64_MAX}, std::pair{INT64_MAX, int64_t{1}}}) {
    const ClipOrder order{.preset = world_preset("world-tiny"), .clips = clips, .frames = frames};
    const ClipFiles files{.folder = folder_ / "new", .format = ClipFormat::kPng};
    EXPECT_THAT(refusal_of([&] { render_clips(order, files, kSayNothing); }), HasSubstr("pixels in all"));
  }
}

TEST(PngFrames, AreKnownByTheirWholeName) {
  const TemporaryFolder folder;
  write_png_frames(folder.path(), at::zeros({2, 3, 4, 4}), 99'999);
  for (const auto& entry : std::filesystem::directory_iterator(folder.path()))
    EXPECT_TRUE(is_png_frame(entry.path().filename().string())) << entry.path();
  for (const char* other : {"frame_notes.txt", "frame_1.png", "frame_00001.png.bak", "frame_.png", "frame_000001.png"})
    EXPECT_FALSE(is_png_frame(other)) << other;
}

TEST_F(WorldFiles, AManifestIsReadStrictly) {
  const auto refusal_of_text = [&](const std::string& text) {
    std::ofstream(folder_ / "manifest.json") << text;
    return refusal_of([&] { read_manifest(folder_ / "manifest.json"); });
  };
  EXPECT_THAT(refusal_of_text("{"), HasSubstr("manifest.json"));
  EXPECT_THAT(refusal_of_text(R"({"world": "world-tiny", "clips": [{"file": 3}]})"), HasSubstr("is not a manifest"));
  EXPECT_THAT(refusal_of_text(R"({"world": "world-tiny", "clips": []})"), HasSubstr("lists no clips"));
}

TEST_F(WorldFiles, AManifestNamesOnlyFilesOfItsOwnFolder) {
  const auto read_with_name = [&](const std::string& name) {
    std::ofstream(folder_ / "manifest.json")
        << nlohmann::json{{"world", "world-tiny"}, {"clips", {{{"file", name}, {"caption", "a"}}}}};
    return read_manifest(folder_ / "manifest.json").clips.at(0).file;
  };
  for (const char* name : {"../a.mp4", "b/../../a.mp4", "/etc/passwd", ".."})
    EXPECT_THAT(refusal_of([&] { read_with_name(name); }), HasSubstr("expected a file in the folder of the manifest"));
  for (const char* name : {"a.mp4", "b/../a.mp4", "..a.mp4"}) EXPECT_EQ(read_with_name(name), folder_ / name);
  EXPECT_EQ(read_with_name((folder_ / "a.mp4").string()), folder_ / "a.mp4");
}

TEST(TrueTexture, IsRenderedOnceForACaption) {
  const WorldPreset preset = world_preset("world-small");
  const WorldCaption caption = draw_caption(preset, 77, 7);
  const Texture& first = true_texture(caption, preset);
  EXPECT_GT(first.sharpness, 0);
  EXPECT_EQ(&true_texture(caption, preset), &first);
  WorldPreset larger = preset;
  larger.radius.high += 0.5;
  EXPECT_NE(true_texture(caption, larger).sharpness, true_texture(caption, preset).sharpness);
}

}  // namespace
}  // namespace sgf
