// A stream's pictures and latents reach their place whole, and a sink that was left at a sync goes on from there as if
// it had never been left.
#include "sgf/files/tensors.h"
#include "sgf/media/latent_file.h"
#include "sgf/media/video_reader.h"
#include "sgf/media/video_writer.h"
#include "sgf/streaming/open_sink.h"

#include "../core/refusal.h"
#include "../core/temporary_folder.h"
#include "../media/read_video.h"

#include <ATen/ATen.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace sgf {
namespace {

using sgf::testing::read_video;
using sgf::testing::TemporaryFolder;
using ::testing::AllOf;
using ::testing::HasSubstr;

const SinkSettings kSettings{.width = 32, .height = 16, .fps = 8, .note = R"({"seed": 3})"};
constexpr int64_t kPictures = 12;

// [kPictures, 3, 16, 32] bytes: a slope that moves.
at::Tensor moving_slope() {
  const at::Tensor row = at::arange(32, at::kFloat).view({1, 1, 1, 32});
  const at::Tensor time = at::arange(kPictures, at::kFloat).view({kPictures, 1, 1, 1});
  const at::Tensor colour = at::arange(3, at::kFloat).view({1, 3, 1, 1});
  return (row * 4 + time * 5 + colour * 20).expand({kPictures, 3, 16, 32}).to(at::kByte).contiguous();
}

// Uneven pieces, a sync after each; the place after picture 5 comes back.
SinkPlace fill(FrameSink& sink, int64_t begin, const at::Tensor& pictures) {
  SinkPlace place;
  for (const auto& [from, to] : {std::pair<int64_t, int64_t>{0, 1}, {1, 5}, {5, 9}, {9, kPictures}}) {
    if (from < begin) continue;
    sink.add(pictures.slice(0, from, to));
    const SinkPlace now = sink.sync();
    EXPECT_EQ(now.pictures, to);
    if (to == 5) place = now;
  }
  return place;
}

std::map<std::string, std::string> files_under(const std::filesystem::path& folder) {
  std::map<std::string, std::string> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    std::ifstream file(entry.path(), std::ios::binary);
    if (entry.is_regular_file()) files[entry.path().filename()] = {std::istreambuf_iterator<char>(file), {}};
  }
  return files;
}

std::vector<std::pair<std::string, SinkKind>> file_sinks() {
  std::vector<std::pair<std::string, SinkKind>> sinks{{"a.y4m", SinkKind::kY4m}, {"a/", SinkKind::kPng}};
  if (can_write_videos()) sinks.emplace_back("a.mp4", SinkKind::kMp4);
  return sinks;
}

TEST(Sinks, ContinuedAfterAKillHoldTheSameBytesAsUnbroken) {
  const at::Tensor pictures = moving_slope();
  for (const auto& [name, kind] : file_sinks()) {
    const TemporaryFolder folder;
    const std::string target = (folder / name).string();
    SinkPlace place;
    {
      const auto sink = open_sink(target, kind, kSettings);
      place = fill(*sink, 0, pictures);
      sink->finish();
    }
    const auto unbroken = files_under(folder.path());
    EXPECT_EQ(place.pictures, 5);
    const auto sink = open_sink(target, kind, kSettings, place);
    EXPECT_TRUE(files_under(folder.path()) == unbroken) << "opened, and not changed yet";
    sink->sync();
    EXPECT_FALSE(files_under(folder.path()) == unbroken) << "what came after the place is gone";
    fill(*sink, 5, pictures);
    sink->finish();
    EXPECT_TRUE(files_under(folder.path()) == unbroken) << name;
    EXPECT_THAT(refusal_of([&] {
                  open_sink(target, kind, kSettings, SinkPlace{100, place.bytes * 20});
                }),
                HasSubstr("cannot be continued after 100"));
  }
}

TEST(Sinks, GiveBackThePictures) {
  const at::Tensor pictures = moving_slope();
  for (const auto& [name, kind] : file_sinks()) {
    if (!can_write_videos() && kind != SinkKind::kPng) continue;
    const TemporaryFolder folder;
    const auto sink = open_sink((folder / name).string(), kind, kSettings);
    sink->add(pictures);
    sink->finish();
    const at::Tensor back = read_video(folder / name);
    ASSERT_EQ(back.sizes(), pictures.sizes());
    const double error = (back * 255 - pictures.to(at::kFloat)).abs().mean().item<double>();
    EXPECT_LT(error, kind == SinkKind::kPng ? 1e-4 : 3) << name;
    if (kind != SinkKind::kMp4) continue;
    EXPECT_EQ(read_video_note(folder / name), kSettings.note);
  }
}

TEST(Sinks, CountingCountsAndWritesNothing) {
  const TemporaryFolder folder;
  const auto sink = open_sink((folder / "a").string(), SinkKind::kNone, kSettings);
  sink->add(moving_slope());
  const SinkPlace place = sink->sync();
  EXPECT_EQ(place, (SinkPlace{kPictures, kPictures * 3 * 16 * 32}));
  sink->finish();
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
  const auto again = open_sink("a", SinkKind::kNone, kSettings, place);
  again->add(moving_slope());
  EXPECT_EQ(again->sync().pictures, 2 * kPictures);
}

TEST(Sinks, RefuseWhatIsNoPictureOfTheirs) {
  const TemporaryFolder folder;
  const auto sink = open_counting_sink(kSettings);
  EXPECT_THAT(refusal_of([&] {
                sink->add(at::zeros({2, 3, 16, 16}, at::kByte));
              }),
              AllOf(HasSubstr("[F, 3, 16, 32] of bytes"), HasSubstr("got [2, 3, 16, 16]")));
  EXPECT_THAT(refusal_of([&] { sink->add(at::zeros({2, 3, 16, 32})); }), HasSubstr("of Float"));
}

TEST(Sinks, AreChosenByTheTarget) {
  const TemporaryFolder folder;
  EXPECT_EQ(sink_kind_of("out/a.mp4"), SinkKind::kMp4);
  EXPECT_EQ(sink_kind_of("a.y4m"), SinkKind::kY4m);
  EXPECT_EQ(sink_kind_of("-"), SinkKind::kY4m);
  EXPECT_EQ(sink_kind_of("frames/"), SinkKind::kPng);
  EXPECT_EQ(sink_kind_of(folder.path().string()), SinkKind::kPng);
  EXPECT_EQ(sink_kind_of("frames", SinkKind::kPng), SinkKind::kPng);
  EXPECT_EQ(sink_kind_of("a.mp4", SinkKind::kNone), SinkKind::kNone);
  EXPECT_THAT(refusal_of([] { sink_kind_of("a.avi"); }),
              AllOf(HasSubstr("'a.avi'"), HasSubstr("NAME.mp4, NAME.y4m, FOLDER/"), HasSubstr("- for raw video")));
  EXPECT_THAT(refusal_of([] { sink_kind_of("frames"); }), HasSubstr("has no known video format"));
  EXPECT_THAT(refusal_of([] { sink_kind_of("a.mp4", SinkKind::kPng); }),
              HasSubstr("'a.mp4' means mp4, but the format is png"));
  EXPECT_THAT(refusal_of([] { sink_kind_of("a.png", SinkKind::kPng); }), HasSubstr("'a.png' has no known"));
  EXPECT_THAT(refusal_of([] { sink_kind_of(""); }), HasSubstr("out.mp4"));
}

TEST(Sinks, RefuseBeforeAnyWorkWhatCannotBeWritten) {
  const TemporaryFolder folder;
  for (const auto& [name, kind] : file_sinks()) {
    const std::string target = (folder / "no/such" / name).string();
    EXPECT_THAT(refusal_of([&] { open_sink(target, kind, kSettings); }), HasSubstr("no such folder")) << name;
    if (::geteuid() == 0) continue;  // whom nothing is forbidden
    EXPECT_THAT(refusal_of([&] { open_sink("/proc/" + name, kind, kSettings); }), HasSubstr("/proc")) << name;
  }
  EXPECT_THAT(refusal_of([] {
                open_sink("-", SinkKind::kY4m, kSettings, SinkPlace{1, 1});
              }),
              HasSubstr("the standard output cannot be continued"));
  std::ofstream(folder / "file") << "x";
  EXPECT_THAT(refusal_of([&] { open_sink((folder / "file").string(), SinkKind::kPng, kSettings); }),
              HasSubstr("cannot create the folder"));
}

std::string png_frame(int64_t number) { return fmt::format("frame_{:08}.png", number); }

TEST(PngSink, DoesNotMixTwoVideosAndMissesNone) {
  const TemporaryFolder folder;
  const at::Tensor pictures = moving_slope();
  open_png_sink(folder / "a", kSettings)->add(pictures);
  EXPECT_THAT(refusal_of([&] { open_png_sink(folder / "a", kSettings); }), HasSubstr("frames of an earlier video"));
  std::filesystem::remove(folder / "a" / "frame_00000003.png");
  EXPECT_THAT(refusal_of([&] {
                open_png_sink(folder / "a", kSettings, SinkPlace{5, 0});
              }),
              HasSubstr("after 5 frames: only 4 of them are there"));
  EXPECT_TRUE(std::filesystem::exists(folder / "a" / "frame_00000011.png")) << "a refusal removes nothing";
}

TEST(PngSink, LeavesForeignFilesWithNamesOfLaterFrames) {
  const TemporaryFolder folder;
  const at::Tensor pictures = moving_slope();
  const std::filesystem::path place = folder / "a", later = place / png_frame(99);
  open_png_sink(place, kSettings)->add(pictures);
  for (const char* foreign : {"text", "folder"}) {
    foreign == std::string("text") ? void(std::ofstream(later) << "mine") : void(create_directories(later / "mine"));
    EXPECT_THAT(refusal_of([&] { open_png_sink(place, kSettings, SinkPlace{5, 0}); }), HasSubstr("is no frame"));
    EXPECT_TRUE(exists(later) && exists(place / png_frame(11))) << foreign;
    remove_all(later);
  }
  std::ofstream(place / png_frame(12)).put('\0');  // of a power cut: it may go
  open_png_sink(place, kSettings, SinkPlace{5, 0})->add(pictures.slice(0, 5));
  EXPECT_FALSE(exists(place / png_frame(12)));
}

class Latents : public ::testing::Test {
 protected:
  const TemporaryFolder folder_;
  const std::filesystem::path path_ = folder_ / "a.safetensors";
  const LatentFileSettings settings_{
      .channels = 4, .height = 3, .width = 5, .dtype = at::kBFloat16, .metadata = {{"prompt", "色 \"a\"\n"}}};
  const at::Tensor latents_ = at::randn({9, 4, 3, 5}).to(at::kBFloat16);

  at::Tensor read_back() const {
    const TensorFile file = open_tensor_file(path_);
    EXPECT_EQ(file.metadata.at("prompt"), "色 \"a\"\n");
    return map_tensor(file, "latents").clone();
  }
};

TEST_F(Latents, AppearWholeUnderTheirNameWhenFinished) {
  LatentFile file(path_, settings_);
  file.add(latents_.slice(0, 0, 2));
  file.add(latents_.slice(0, 2));
  EXPECT_EQ(file.sync().pictures, 9);
  EXPECT_FALSE(std::filesystem::exists(path_));
  file.finish();
  EXPECT_FALSE(std::filesystem::exists(folder_ / "a.safetensors.part"));
  EXPECT_TRUE(at::equal(read_back(), latents_));
}

TEST_F(Latents, GoOnAfterAKill) {
  SinkPlace place;
  {
    LatentFile file(path_, settings_);
    file.add(latents_.slice(0, 0, 4));
    place = file.sync();
    file.add(at::zeros_like(latents_));
  }
  for (const int64_t more : {0, 1}) {
    LatentFile file(path_, settings_, place);
    file.add(latents_.slice(0, 4));
    if (more == 1) file.finish();
  }
  EXPECT_TRUE(at::equal(read_back(), latents_));
}

// Killed when the header was filled in, and the file not yet renamed or already.
TEST_F(Latents, GoOnAfterAKillWithinTheFinish) {
  for (const bool is_renamed : {false, true}) {
    SinkPlace place;
    {
      LatentFile file(path_, settings_);
      file.add(latents_.slice(0, 0, 4));
      place = file.sync();
      file.add(at::zeros_like(latents_));
      file.finish();
      if (!is_renamed) std::filesystem::rename(path_, folder_ / "a.safetensors.part");
    }
    LatentFile file(path_, settings_, place);
    file.add(latents_.slice(0, 4));
    file.finish();
    EXPECT_TRUE(at::equal(read_back(), latents_));
  }
}

TEST_F(Latents, AreNotTakenFromAFinishedFileOfAnotherKind) {
  SinkPlace place;
  {
    LatentFile file(path_, settings_);
    file.add(latents_);
    place = file.sync();
    file.finish();
  }
  LatentFileSettings other = settings_;
  other.metadata["prompt"] = "another";
  EXPECT_THAT(refusal_of([&] { LatentFile(path_, other, place); }), HasSubstr("header does not match"));
  EXPECT_TRUE(at::equal(read_back(), latents_));  // left as it was
}

TEST_F(Latents, OfAnotherKindAreRefused) {
  LatentFile file(path_, settings_);
  EXPECT_THAT(refusal_of([&] { file.add(latents_.to(at::kFloat)); }), HasSubstr("of BFloat16 on the CPU, got"));
  EXPECT_THAT(refusal_of([&] { file.finish(); }), HasSubstr("at least one"));
  file.add(latents_);
  const SinkPlace place = file.sync();
  LatentFileSettings other = settings_;
  other.metadata["prompt"] = "色 \"b\"\n";
  EXPECT_THAT(refusal_of([&] { LatentFile(path_, other, place); }), HasSubstr("header does not match"));
  other.width = 7;
  EXPECT_THAT(refusal_of([&] { LatentFile(path_, other, place); }),
              HasSubstr("cannot be continued after 9 latent frames"));
}

}  // namespace
}  // namespace sgf
