// Videos from orders: written down, gone on with after a kill, and made again.
#include "sgf/core/error.h"
#include "sgf/media/video_reader.h"
#include "sgf/media/video_tensor.h"
#include "sgf/streaming/compare_videos.h"
#include "sgf/streaming/generate.h"
#include "sgf/streaming/output_name.h"
#include "sgf/streaming/stream_file.h"
#include "tests/core/refusal.h"
#include "tests/core/temporary_folder.h"
#include "tests/media/read_video.h"
#include "tests/streaming/tiny_video.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>
#include <set>

namespace sgf {
namespace {

using ::testing::HasSubstr;
using testing::read_video;
using testing::TemporaryFolder;

std::string bytes_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(GenerateOrder, IsReadBackAsItWasWritten) {
  TinyVideo video;
  video.order.negative = "\"quotes\" and ünïcode";
  EXPECT_EQ(order_from_json(to_json(video.order), "test"), video.order);
  nlohmann::json broken = to_json(video.order);
  broken["prompts"] = 7;
  EXPECT_THAT(refusal_of([&] { order_from_json(broken, "test"); }), HasSubstr("prompts"));
  broken = to_json(video.order);
  broken.erase("model");
  EXPECT_THAT(refusal_of([&] { order_from_json(broken, "test"); }), HasSubstr("model"));
}

// A file that was begun before the key was there has a note without it, and is continued under that note.
TEST(GenerateOrder, NamesTheStepsOfTheFirstBlockOnlyWhereItHasItsOwn) {
  TinyVideo video;
  const auto config_in = [](const GenerateOrder& order) { return to_json(order).at("config").get<std::string>(); };
  EXPECT_EQ(config_in(video.order).find("first_block_steps"), std::string::npos);
  GenerateOrder other = video.order;
  other.config.schedule.first_block_steps = {1000, 800, 500};
  EXPECT_NE(config_in(other).find("first_block_steps: [1000.0, 800.0, 500.0]"), std::string::npos);
  EXPECT_EQ(order_from_json(to_json(other), "test"), other);
  EXPECT_EQ(differences(video.order, other).size(), 1u);
  EXPECT_NE(mark_of(video.order), mark_of(other));
}

// Files of version 0.1.0 store none.
TEST(GenerateOrder, StoresTheThreadsWhichMakeNoOtherVideoOfIt) {
  TinyVideo video;
  nlohmann::json earlier = to_json(video.order);
  earlier.erase("threads");
  EXPECT_EQ(order_from_json(earlier, "test").threads, 0);
  GenerateOrder other = video.order;
  other.threads = 3;
  other.config.run.threads = 2;  // of the run that trained the model
  EXPECT_EQ(order_from_json(to_json(other), "test").threads, 3);
  EXPECT_TRUE(differences(video.order, other).empty());
  EXPECT_EQ(mark_of(video.order), mark_of(other));
  other.config.run.seed += 1;  // the control
  EXPECT_FALSE(differences(video.order, other).empty());
  EXPECT_NE(mark_of(video.order), mark_of(other));
  for (const int64_t threads : {int64_t{-1}, int64_t{1} << 40}) {
    earlier["threads"] = threads;
    EXPECT_THAT(refusal_of([&] { order_from_json(earlier, "test"); }), HasSubstr("threads must be between 0 and 1024"));
  }
}

// Earlier versions have no such key, and their videos are continued and made again as before.
TEST(GenerateOrder, KnowsItsLorasByContentAndScale) {
  TinyVideo video;
  EXPECT_FALSE(to_json(video.order).contains("loras"));
  EXPECT_EQ(to_json(video.order).at("order"), 1);
  GenerateOrder with = video.order;
  with.loras = {{"/there/lora.pt", 0.8, "abc"}};
  EXPECT_EQ(order_from_json(to_json(with), "test"), with);
  EXPECT_EQ(to_json(with).at("order"), 2) << "a program that knows no LoRAs refuses it";
  EXPECT_THAT(differences(video.order, with),
              ::testing::ElementsAre("loras: none in the file, abc... x 0.8 in this command"));
  EXPECT_EQ(differences(with, video.order).size(), 1u);
  EXPECT_NE(mark_of(video.order), mark_of(with));
  GenerateOrder other = with;
  other.loras[0].file = "/elsewhere/lora.pt";
  EXPECT_TRUE(differences(with, other).empty());
  EXPECT_EQ(mark_of(with), mark_of(other));
  other.loras[0].scale = 0.7;  // the control
  EXPECT_FALSE(differences(with, other).empty());
  EXPECT_NE(mark_of(with), mark_of(other));
}

// What a stream that is directed while it is made needs to be regenerated.
TEST(GenerateOrder, KeepsThePromptsSwitchesAndTheChangesOfTheSeed) {
  TinyVideo video;
  EXPECT_FALSE(to_json(video.order).contains("seeds"));
  EXPECT_FALSE(to_json(video.order).at("prompts").at(1).contains("switch")) << "files of earlier versions stay equal";
  GenerateOrder directed = video.order;
  directed.prompts[1].on_switch = PromptSwitch::kNewSink;
  EXPECT_EQ(to_json(directed).at("order"), 3) << "a program that does not know it refuses it";
  EXPECT_EQ(order_from_json(to_json(directed), "test"), directed);
  EXPECT_FALSE(differences(video.order, directed).empty());
  GenerateOrder reseeded = video.order;
  reseeded.seeds = {{2, 9}, {5, 1}};
  EXPECT_EQ(to_json(reseeded).at("order"), 3);
  EXPECT_EQ(order_from_json(to_json(reseeded), "test"), reseeded);
  EXPECT_THAT(differences(video.order, reseeded), ::testing::ElementsAre(HasSubstr("seeds: [] in the file")));
  EXPECT_THAT(differences(reseeded, video.order), ::testing::ElementsAre(HasSubstr("[] in this command")));
  EXPECT_NE(mark_of(video.order), mark_of(reseeded));
  nlohmann::json broken = to_json(reseeded);
  broken["seeds"][1]["block"] = 2;
  EXPECT_THAT(refusal_of([&] { order_from_json(broken, "test"); }), HasSubstr("order of blocks"));
}

TEST(Generate, AChangedSeedChangesTheBlocksFromThereOn) {
  if (!can_write_videos()) GTEST_SKIP() << "no FFmpeg here";
  TinyVideo video;
  const TemporaryFolder folder;
  video.order.save_every = 1;  // each block is encoded on its own
  video.generate(folder / "plain.mp4", 6);
  video.order.seeds = {{3, video.order.config.run.seed}};
  video.generate(folder / "same.mp4", 6);
  EXPECT_TRUE(compare_videos(folder / "plain.mp4", folder / "same.mp4").is_identical()) << "the control";
  video.order.seeds = {{3, 99}};
  video.generate(folder / "other.mp4", 6);
  EXPECT_EQ(compare_videos(folder / "plain.mp4", folder / "other.mp4").first_picture,
            pictures_for(3, video.order.config));
}

TEST(Generate, GoesOnAfterAStopAsIfThereHadBeenNone) {
  if (!can_write_videos()) GTEST_SKIP() << "no FFmpeg here";
  const TinyVideo video;
  const TemporaryFolder folder;
  const auto whole = folder.path() / "whole.mp4", broken = folder.path() / "broken.mp4";
  EXPECT_TRUE(video.generate(whole, 11).is_whole);
  int64_t asked = 0;
  const GenerateResult stopped = video.generate(broken, 11, false, [&] { return ++asked == 6; });
  EXPECT_FALSE(stopped.is_whole);
  EXPECT_TRUE(std::filesystem::exists(state_file({.target = broken.string()})));
  EXPECT_EQ(read_video(broken).size(0), 18);  // playable as it is
  EXPECT_EQ(threads_of_state({.target = broken.string(), .resume = true}), video.order.threads);
  EXPECT_EQ(threads_of_state({.target = broken.string()}), std::nullopt) << "of a video that begins anew";
  const GenerateResult resumed = video.generate(broken, 11, /*resume=*/true);
  EXPECT_EQ(resumed.resumed_from, 18);
  EXPECT_TRUE(resumed.is_whole);
  EXPECT_FALSE(std::filesystem::exists(state_file({.target = broken.string()})));
  EXPECT_EQ(bytes_of(TinyVideo::latents_of(whole)), bytes_of(TinyVideo::latents_of(broken)));
  EXPECT_TRUE(compare_videos(whole, broken).is_identical());
}

TEST(Generate, RefusesToGoOnWithAnotherVideo) {
  if (!can_write_videos()) GTEST_SKIP() << "no FFmpeg here";
  TinyVideo video;
  const TemporaryFolder folder;
  const auto file = folder.path() / "video.mp4";
  int64_t asked = 0;
  video.generate(file, 11, false, [&] { return ++asked == 4; });
  video.order.config.run.seed = 77;
  EXPECT_THAT(refusal_of([&] { video.generate(file, 11, true); }), HasSubstr("run.seed"));
}

// A changed counter made a video of 12 frames in place of 48, and a changed weight of the cache another video.
TEST(Generate, AStateWithAByteChangedAnywhereIsRefused) {
  if (!can_write_videos()) GTEST_SKIP() << "no FFmpeg here";
  const TinyVideo video;
  const TemporaryFolder folder;
  int64_t asked = 0;
  video.generate(folder / "video.mp4", 11, false, [&] { return ++asked == 6; });
  const std::string whole = bytes_of(state_file({.target = (folder / "video.mp4").string()}));
  const auto load = [&](const std::string& name, const std::string& bytes) {
    std::ofstream(folder / name, std::ios::binary) << bytes;
    return load_stream(folder / name);
  };
  EXPECT_EQ(load("whole", whole).note.pictures.pictures, 18) << "the control";
  uint64_t header = 0;
  std::memcpy(&header, whole.data(), sizeof header);
  const size_t between = std::max<size_t>(1, (whole.size() - header) / 200);
  for (size_t at = 0; at < whole.size(); at += at < header ? 7 : between) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 2);
    EXPECT_THROW(load(std::to_string(at), damaged), Error) << "byte " << at << " of " << whole.size();
    std::filesystem::remove(folder / std::to_string(at));
  }
}

// Killed before the first state: the mark of the beginning says whose file it is.
TEST(Generate, BeginsAnewWhereNothingWasSavedYet) {
  if (!can_write_videos()) GTEST_SKIP() << "no FFmpeg here";
  TinyVideo video;
  const TemporaryFolder folder;
  const auto whole = folder.path() / "whole.mp4", killed = folder.path() / "killed.mp4";
  EXPECT_TRUE(video.generate(whole, 7).is_whole);
  save_stream(state_file({.target = killed.string()}), {.note = {.order = video.order}});
  std::ofstream(killed) << bytes_of(whole).substr(0, 20);  // half a header
  const GenerateResult anew = video.generate(killed, 7, /*resume=*/true);
  EXPECT_EQ(anew.resumed_from, 0);
  EXPECT_TRUE(compare_videos(whole, killed).is_identical());
  save_stream(state_file({.target = killed.string()}), {.note = {.order = video.order}});
  video.order.config.run.seed = 77;
  EXPECT_THAT(refusal_of([&] { video.generate(killed, 7, true); }), HasSubstr("run.seed"));
}

TEST(Generate, LeavesWhatIsThereWhereAnInputIsRefused) {
  if (!can_write_videos()) GTEST_SKIP() << "no FFmpeg here";
  TinyVideo video;
  const TemporaryFolder folder;
  const auto file = folder.path() / "video.mp4";
  std::ofstream(file) << "mine";
  video.order.image = (folder.path() / "nowhere.png").string();
  EXPECT_THAT(refusal_of([&] { video.generate(file, 7); }), HasSubstr("no such image"));
  EXPECT_EQ(bytes_of(file), "mine");
}

TEST(Generate, WritesWhatMadeItIntoTheFile) {
  if (!can_write_videos()) GTEST_SKIP() << "no FFmpeg here";
  const TinyVideo video;
  const TemporaryFolder folder;
  const auto file = folder.path() / "video.mp4", again = folder.path() / "again.mp4";
  video.generate(file, 7);
  const std::optional<std::string> note = read_video_note(file);
  ASSERT_TRUE(note.has_value());
  const GenerateOrder order = order_from_json(nlohmann::json::parse(*note), "test");
  EXPECT_EQ(order, video.order);
  generate_video(order, build_parts(order), 7, {.target = again.string()});
  EXPECT_TRUE(compare_videos(file, again).is_identical());
  GenerateOrder other = order;  // the control: another seed is another video
  other.config.run.seed = 9;
  const auto different = folder.path() / "different.mp4";
  generate_video(other, build_parts(other), 7, {.target = different.string()});
  EXPECT_FALSE(compare_videos(file, different).is_identical());
}

TEST(Generate, BeginsWithAPictureAndGoesOnFromAVideo) {
  if (!can_write_videos()) GTEST_SKIP() << "no FFmpeg here";
  TinyVideo video;
  const TemporaryFolder folder;
  video.order.enlarge = 1;
  const at::Tensor picture = at::full({3, 16, 16}, 0.5);
  picture[0].slice(1, 8, 16).fill_(0.9);
  write_png(folder.path() / "picture.png", images_of(picture.unsqueeze(0)).front());
  video.order.image = (folder.path() / "picture.png").string();
  generate_video(video.order, video.parts, 3, {.target = (folder.path() / "frames/").string()});
  const at::Tensor frames = read_video(folder.path() / "frames");
  for (int64_t i = 0; i < 3; ++i) EXPECT_LT((frames[i] - picture).abs().max().item<double>(), 0.01);
  EXPECT_GT((frames[3] - picture).abs().max().item<double>(), 0.02);
  video.order.image.clear();
  video.order.video = (folder.path() / "frames").string();
  generate_video(video.order, video.parts, 4, {.target = (folder.path() / "more/").string()});
  const at::Tensor more = read_video(folder.path() / "more");
  EXPECT_LT((more.slice(0, 0, 9) - frames).abs().max().item<double>(), 0.05);  // the codec keeps 18 numbers of 48
}

TEST(Generate, SaysHowManyPicturesAVideoNeedsToGoOnFrom) {
  TinyVideo video;
  const TemporaryFolder folder;
  write_png(folder.path() / "frame_0.png", images_of(at::full({1, 3, 16, 16}, 0.5)).front());
  video.order.video = folder.path().string();
  EXPECT_THAT(refusal_of([&] { given_of(video.order, video.parts); }), HasSubstr("at least 3 frames, got 1"));
}

TEST(Blocks, AreTheFewestThatShowSoManySeconds) {
  Config wan = load_config("wan-1.3b-chunkwise", {}, {SGF_PRESETS});
  EXPECT_EQ(blocks_for(5, wan), 7);      // 21 latents, 81 pictures
  EXPECT_EQ(blocks_for(60, wan), 81);    // 243 latents
  EXPECT_EQ(blocks_for(240, wan), 321);  // 963 latents
  EXPECT_EQ(pictures_for(7, wan), 81);
  wan = load_config("wan-1.3b-framewise", {}, {SGF_PRESETS});
  EXPECT_EQ(blocks_for(60, wan), 241);
  EXPECT_EQ(blocks_for(240, wan), 961);
  EXPECT_THROW(blocks_for(0, wan), Error);
}

TEST(FitPictures, CoversAndKeepsTheMiddle) {
  at::Tensor wide = at::zeros({1, 3, 8, 16});
  wide.slice(3, 4, 12).fill_(1.0);
  const at::Tensor fitted = fit_pictures(wide, {.height = 8, .width = 8});
  EXPECT_EQ(fitted.sizes(), (std::vector<int64_t>{1, 3, 8, 8}));
  EXPECT_GT(fitted.min().item<double>(), 0.99);
  EXPECT_EQ(fit_pictures(wide, {.height = 4, .width = 4}).sizes(), (std::vector<int64_t>{1, 3, 4, 4}));
}

TEST(VideoName, IsSafeForAnyPrompt) {
  const auto name = [](const std::string& prompt, VideoNaming naming) {
    return video_name({.prompt = prompt, .line = 3, .sample = 1, .seed = 7}, naming);
  };
  EXPECT_EQ(name("A red/green disc, fast!", VideoNaming::kNumbered), "0003-a-red-green-disc-fast-7");
  EXPECT_EQ(name("a red disc", VideoNaming::kVbench), "a red disc-1");
  std::set<std::string> names;
  for (const std::string& prompt : {std::string("a/b"), std::string("a_b"), std::string("a\nb"), std::string("..", 2),
                                    std::string(300, 'x'), std::string(301, 'x'), std::string()}) {
    for (const VideoNaming naming : {VideoNaming::kNumbered, VideoNaming::kVbench}) {
      const std::string safe = name(prompt, naming);
      EXPECT_LT(safe.size(), 240U);
      EXPECT_EQ(safe.find('/'), std::string::npos);
      EXPECT_FALSE(safe.starts_with('.'));
    }
    EXPECT_TRUE(names.insert(name(prompt, VideoNaming::kVbench)).second) << prompt;
  }
  std::string long_text;
  for (int i = 0; i < 100; ++i) long_text += "色";
  EXPECT_NO_THROW(nlohmann::json(name(long_text, VideoNaming::kVbench)).dump());  // no half character
}

}  // namespace
}  // namespace sgf
