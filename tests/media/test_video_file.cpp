// Video files come back as they were written, to the error that 4:2:0 and H.264 cost, and never half, damaged or
// pointing elsewhere without a word.
#include "sgf/media/frame_source.h"
#include "sgf/media/video_reader.h"
#include "sgf/media/video_writer.h"

#include "../core/refusal.h"
#include "../core/temporary_folder.h"
#include "known_pictures.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/resource.h>

#include <cstdio>
#include <random>
#include <string>

namespace sgf {
namespace {

using sgf::testing::bytes_of;
using sgf::testing::count_frames;
using sgf::testing::has_program;
using sgf::testing::kHeight;
using sgf::testing::kWidth;
using sgf::testing::mean_error;
using sgf::testing::output_of;
using sgf::testing::put_bytes;
using sgf::testing::slopes;
using sgf::testing::TemporaryFolder;
using ::testing::HasSubstr;

constexpr int64_t kFrames = 40;

bool has_ffmpeg() { return video_component() != "no FFmpeg"; }

RgbImage solid(uint8_t red, uint8_t green, uint8_t blue) {
  RgbImage image{.height = kHeight, .width = kWidth};
  for (int64_t i = 0; i < kHeight * kWidth; ++i) image.pixels.insert(image.pixels.end(), {red, green, blue});
  return image;
}

void write_slopes(const std::filesystem::path& path, VideoFileSettings settings = {}) {
  settings.width = kWidth;
  settings.height = kHeight;
  VideoWriter writer(path, settings);
  for (int64_t f = 0; f < kFrames; ++f) writer.add(slopes(f));
  writer.finish();
}

double round_trip_error(const std::filesystem::path& path, int64_t crf) {
  write_slopes(path, {.crf = crf});
  VideoReader reader(path);
  double sum = 0;
  for (int64_t f = 0; f < kFrames; ++f) sum += mean_error(slopes(f), reader.next().value());
  return sum / kFrames;
}

class VideoFile : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!has_ffmpeg()) GTEST_SKIP() << "built without FFmpeg";
  }

  const TemporaryFolder folder_;
  const std::filesystem::path path_ = folder_ / "a.mp4";
};

TEST_F(VideoFile, KeepsSizeRateAndCount) {
  write_slopes(path_, {.fps = 12.5});
  VideoReader reader(path_);
  EXPECT_EQ(reader.width(), kWidth);
  EXPECT_EQ(reader.height(), kHeight);
  EXPECT_DOUBLE_EQ(reader.fps().value(), 12.5);
  EXPECT_EQ(reader.frame_count(), kFrames);
  EXPECT_EQ(count_frames(path_), kFrames);
}

TEST_F(VideoFile, PicturesCanBePassedOver) {
  write_slopes(path_);
  VideoReader all(path_), some(path_);
  all.next();
  EXPECT_TRUE(some.skip());
  EXPECT_EQ(some.next()->pixels, all.next()->pixels);
  EXPECT_EQ(some.time(), all.time());
  int64_t rest = 0;
  while (some.skip()) ++rest;
  EXPECT_EQ(rest, kFrames - 2);
  EXPECT_FALSE(some.next());
}

TEST_F(VideoFile, CostsAStepOfBrightnessAtHighQualityAndMoreAtLow) {
  const double best = round_trip_error(path_, 0), usual = round_trip_error(path_, VideoFileSettings{}.crf);
  const double low = round_trip_error(path_, 35);
  std::printf("mean error of a round trip, in steps of 255: crf 0 %.2f, %d %.2f, 35 %.2f\n", best,
              static_cast<int>(VideoFileSettings{}.crf), usual, low);
  EXPECT_LT(best, 1.5);
  EXPECT_LT(usual, 2);
  EXPECT_GT(low, usual);
}

// With BT.601 on one of the two sides, a full green would come back 20 to 40 steps off.
TEST_F(VideoFile, ReadsBackTheColoursItWrote) {
  for (const RgbImage& image : {solid(230, 20, 25), solid(20, 230, 25), solid(25, 20, 230), solid(0, 0, 0),
                                solid(255, 255, 255), solid(90, 90, 90)}) {
    VideoWriter writer(path_, {.width = kWidth, .height = kHeight, .crf = 0});
    writer.add(image);
    writer.finish();
    const RgbImage back = VideoReader(path_).next().value();
    for (size_t c = 0; c < 3; ++c) EXPECT_NEAR(back.pixels[c], image.pixels[c], 2);
  }
}

TEST_F(VideoFile, AppearsWholeOrNotAtAll) {
  {
    VideoWriter writer(path_, {.width = kWidth, .height = kHeight});
    for (int64_t f = 0; f < kFrames; ++f) writer.add(slopes(f));
    EXPECT_FALSE(std::filesystem::exists(path_));
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder_.path())) << "an unfinished video leaves nothing behind";
}

TEST_F(VideoFile, InPlaceCanBeReadWhileItGrows) {
  VideoWriter writer(path_, {.width = kWidth, .height = kHeight, .fps = 8, .growth = VideoGrowth::kInPlace});
  for (int64_t f = 0; f < kFrames; ++f) writer.add(slopes(f));
  const int64_t seen = count_frames(path_);
  EXPECT_GE(seen, kFrames - 2 * 8) << "at most two seconds are held back";
  EXPECT_LT(seen, kFrames);
  writer.finish();
  EXPECT_EQ(count_frames(path_), kFrames);
}

TEST_F(VideoFile, IsRefusedByNameWhereItIsCut) {
  write_slopes(path_);
  const std::string good = bytes_of(path_);
  for (size_t part = 0; part < 8; ++part) {
    put_bytes(path_, good.substr(0, good.size() * part / 8));
    EXPECT_THAT(refusal_of([&] { count_frames(path_); }), HasSubstr("a.mp4")) << part << " eighths of the file";
  }
}

uint32_t big_endian_at(const std::string& bytes, size_t at) {
  uint32_t value = 0;
  for (size_t i = 0; i < 4; ++i) value = value << 8 | static_cast<uint8_t>(bytes[at + i]);
  return value;
}

// The file as one for the web: its table (moov) before the pictures, whose places (stco) move by as much.
std::string with_table_in_front(const std::string& file) {
  const size_t begin = file.rfind("moov") - 4, first = big_endian_at(file, 0);
  std::string table = file.substr(begin, big_endian_at(file, begin));
  const size_t places = table.find("stco") + 8;
  for (size_t i = 0; i < big_endian_at(table, places); ++i) {
    const size_t at = places + 4 + 4 * i;
    const auto moved = static_cast<uint32_t>(big_endian_at(table, at) + table.size());
    for (size_t byte = 0; byte < 4; ++byte) table[at + byte] = static_cast<char>(moved >> (24 - 8 * byte));
  }
  return file.substr(0, first) + table + file.substr(first, begin - first);
}

TEST_F(VideoFile, WithItsTableInFrontIsRefusedWhereItIsCutToo) {
  write_slopes(path_);
  const std::string good = with_table_in_front(bytes_of(path_));
  put_bytes(path_, good);
  EXPECT_EQ(count_frames(path_), kFrames);
  for (const size_t missing : {good.size() / 2, good.size() / 8, size_t{1}}) {
    put_bytes(path_, good.substr(0, good.size() - missing));
    EXPECT_THAT(refusal_of([&] { count_frames(path_); }), HasSubstr("a.mp4 is cut off")) << missing << " bytes missing";
  }
}

// Containers without a table of their pictures play what is left without a word.
TEST_F(VideoFile, OfOtherContainersIsRefusedWhereItIsCutOrHasAHole) {
  if (!has_program("ffmpeg")) GTEST_SKIP() << "no ffmpeg program to write them";
  write_slopes(path_);
  for (const std::string container : {"mkv", "avi", "y4m", "ts"}) {
    const std::filesystem::path other = path_.parent_path() / ("a." + container);
    const std::string codec = container == "y4m" ? "-pix_fmt yuv420p" : "-c:v mpeg4 -q:v 2";
    output_of(fmt::format("ffmpeg -v error -y -i {} {} {}", path_.string(), codec, other.string()));
    const std::string good = bytes_of(other);
    EXPECT_EQ(count_frames(other), kFrames) << container;
    if (container == "ts") {  // names no length, but counts its packets
      constexpr size_t kPacket = 188;
      const size_t hole = good.size() / kPacket / 2 * kPacket;
      put_bytes(other, good.substr(0, hole) + good.substr(hole + kPacket));
      EXPECT_THAT(refusal_of([&] { count_frames(other); }), HasSubstr("is damaged after"));
    } else {
      put_bytes(other, good.substr(0, good.size() / 2 + 7));
      EXPECT_THAT(refusal_of([&] { count_frames(other); }), HasSubstr("is cut off")) << container;
    }
  }
}

TEST_F(VideoFile, DamageIsAnErrorOrAPictureButNoCrash) {
  std::mt19937 draw(7);
  int64_t refused = 0;
  for (const VideoGrowth growth : {VideoGrowth::kWhole, VideoGrowth::kInPlace}) {
    write_slopes(path_, {.growth = growth});
    const std::string good = bytes_of(path_);
    for (int i = 0; i < 200; ++i) {
      std::string changed = good;
      for (int j = 0; j < 4; ++j) changed[draw() % changed.size()] = static_cast<char>(draw());
      put_bytes(path_, changed);
      try {
        count_frames(path_);
      } catch (const Error& error) {
        EXPECT_THAT(error.what(), HasSubstr("a.mp4"));
        ++refused;
      }
    }
  }
  EXPECT_GT(refused, 100);
}

TEST_F(VideoFile, WhatIsNoVideoIsRefusedByName) {
  put_bytes(path_, "these are words, and no video\n");
  EXPECT_THAT(refusal_of([&] { VideoReader{path_}; }), HasSubstr("a.mp4"));
  put_bytes(path_, "");
  EXPECT_THAT(refusal_of([&] { VideoReader{path_}; }), HasSubstr("is empty"));
  EXPECT_THAT(refusal_of([&] { open_frames(folder_ / "missing.mp4"); }), HasSubstr("no such file"));
}

TEST_F(VideoFile, APlayListThatNamesAVideoIsNotFollowed) {
  write_slopes(path_);
  ASSERT_EQ(count_frames(path_), kFrames);
  put_bytes(folder_ / "list.m3u8", "#EXTM3U\n#EXT-X-TARGETDURATION:3\n#EXTINF:3,\na.mp4\n#EXT-X-ENDLIST\n");
  EXPECT_THAT(refusal_of([&] { VideoReader{folder_ / "list.m3u8"}; }), HasSubstr("list.m3u8"));
  put_bytes(folder_ / "list.txt", "ffconcat version 1.0\nfile a.mp4\n");
  EXPECT_THAT(refusal_of([&] { VideoReader{folder_ / "list.txt"}; }), HasSubstr("list.txt"));
}

TEST_F(VideoFile, RefusesWhatItCannotWriteBeforeAnyWork) {
  const auto refusal = [&](const VideoFileSettings& settings) {
    return refusal_of([&] { VideoWriter{path_, settings}; });
  };
  EXPECT_THAT(refusal({.width = 17, .height = 16}), HasSubstr("even width and height, got 17 x 16"));
  EXPECT_THAT(refusal({.width = 0, .height = 16}), HasSubstr("0 x 16"));
  EXPECT_THAT(refusal({.width = 16, .height = 16, .fps = 0}), HasSubstr("frames per second"));
  EXPECT_THAT(refusal({.width = 16, .height = 16, .crf = 60}), HasSubstr("crf"));
  EXPECT_THAT(refusal({.width = 16, .height = 16, .encoder = "nonesuch"}), HasSubstr("no encoder 'nonesuch'"));
  EXPECT_THAT(refusal_of([&] {
                VideoWriter{folder_ / "no/such/folder.mp4", {.width = 16, .height = 16}};
              }),
              HasSubstr("folder.mp4"));
  VideoWriter writer(path_, {.width = 16, .height = 16});
  EXPECT_THAT(refusal_of([&] { writer.add(solid(1, 2, 3)); }), HasSubstr("must be 16 x 16, got 48 x 32"));
  EXPECT_THAT(refusal_of([&] { writer.finish(); }), HasSubstr("at least one frame"));
  EXPECT_TRUE(std::filesystem::is_directory(folder_.path()));
}

TEST_F(VideoFile, IsMpeg4WhereThereIsNoEncoderForH264) {
  VideoWriter writer(path_, {.width = kWidth, .height = kHeight, .encoder = "mpeg4"});
  EXPECT_EQ(writer.encoder(), "mpeg4");
  EXPECT_FALSE(writer.is_h264());
  for (int64_t f = 0; f < kFrames; ++f) writer.add(slopes(f));
  writer.finish();
  EXPECT_EQ(count_frames(path_), kFrames);
  EXPECT_LT(mean_error(VideoReader(path_).next().value(), slopes(0)), 4);
}

TEST_F(VideoFile, ADiskThatIsFullIsSaidAndNotTakenForAVideo) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "no /dev/full here";
  EXPECT_THAT(refusal_of([&] { write_slopes("/dev/full", {.growth = VideoGrowth::kInPlace}); }),
              HasSubstr("/dev/full: cannot be written: No space left on device"));
}

// Large enough for the encoder to use threads: as many as the process may use, if nobody tells it.
std::string large_video_on(const std::filesystem::path& path, const cpu_set_t& processors) {
  cpu_set_t before;
  EXPECT_EQ(::sched_getaffinity(0, sizeof before, &before), 0);
  EXPECT_EQ(::sched_setaffinity(0, sizeof processors, &processors), 0);
  VideoWriter writer(path, {.width = 480, .height = 320});
  for (int64_t f = 0; f < kFrames; ++f) writer.add(slopes(f % 7 * f, 320, 480));
  writer.finish();
  EXPECT_EQ(::sched_setaffinity(0, sizeof before, &before), 0);
  return bytes_of(path);
}

TEST_F(VideoFile, TheSamePicturesAreTheSameBytesOnAnyNumberOfProcessors) {
  cpu_set_t all, one;
  ASSERT_EQ(::sched_getaffinity(0, sizeof all, &all), 0);
  CPU_ZERO(&one);
  for (size_t cpu = 0; cpu < CPU_SETSIZE && CPU_COUNT(&one) == 0; ++cpu)
    if (CPU_ISSET(cpu, &all)) CPU_SET(cpu, &one);
  const std::string first = large_video_on(path_, all);
  EXPECT_EQ(large_video_on(folder_ / "again.mp4", all), first);
  EXPECT_EQ(large_video_on(folder_ / "alone.mp4", one), first);
}

// With B-frames pictures are coded in another order than shown, and an mp4 has a box of the offsets. Which pictures
// become such depends on how many threads look ahead.
bool has_b_frames(const std::string& mp4) { return mp4.find("ctts") != std::string::npos; }

TEST_F(VideoFile, IsCodedInTheOrderInWhichItIsShown) {
  write_slopes(path_);
  EXPECT_FALSE(has_b_frames(bytes_of(path_)));
}

TEST_F(VideoFile, PlainCodingByX264HasBFrames) {
  const VideoFileSettings plain{.width = kWidth, .height = kHeight, .coding = VideoCoding::kPlain};
  if (VideoWriter(path_, plain).encoder() != "libx264") GTEST_SKIP() << "this FFmpeg has no libx264";
  write_slopes(path_, plain);
  EXPECT_TRUE(has_b_frames(bytes_of(path_)));
}

// FFmpeg decodes a first frame already to learn what a stream is: 14,000 x 14,000 pixels of 8 bytes in 464 bytes.
TEST(VideoFiles, AnImageBombInAContainerTakesNoMemory) {
  if (!has_ffmpeg()) GTEST_SKIP() << "this build has no FFmpeg";
  const std::string bomb = std::string(SGF_TEST_DATA) + "/../fuzz/broken/video_file/png_in_avi";
  // In a process of its own: the peak of this one may be higher already.
  const auto refused_cheaply = [&] {
    rusage before{}, after{};
    ::getrusage(RUSAGE_SELF, &before);
    const std::string refusal = refusal_of([&] { VideoReader{bomb}; });
    ::getrusage(RUSAGE_SELF, &after);
    return refusal.find("png_in_avi") != std::string::npos && after.ru_maxrss - before.ru_maxrss < 300'000;
  };
  EXPECT_EXIT(std::_Exit(refused_cheaply() ? 0 : 1), ::testing::ExitedWithCode(0), "");
}

TEST(PngFolder, IsReadInTheOrderOfItsNames) {
  const TemporaryFolder folder;
  for (const int64_t f : {2, 0, 1}) write_png(folder / ("frame_0000" + std::to_string(f) + ".png"), slopes(f));
  put_bytes(folder / "manifest.json", "{}");
  const std::unique_ptr<FrameSource> source = open_frames(folder.path());
  EXPECT_EQ(source->frame_count(), 3);
  EXPECT_EQ(source->width(), kWidth);
  for (int64_t f = 0; f < 3; ++f) EXPECT_EQ(source->next().value().pixels, slopes(f).pixels);
  EXPECT_FALSE(source->next().has_value());
}

TEST(PngFolder, OfNothingOrOfTwoSizesIsRefused) {
  const TemporaryFolder folder;
  EXPECT_THAT(refusal_of([&] { open_frames(folder.path()); }), HasSubstr("contains no .png files"));
  write_png(folder / "frame_0.png", slopes(0));
  write_png(folder / "frame_1.png", {.height = 1, .width = 1, .pixels = {1, 2, 3}});
  const std::unique_ptr<FrameSource> source = open_frames(folder.path());
  source->next();
  EXPECT_THAT(refusal_of([&] { source->next(); }), HasSubstr("frame_1.png is 1 x 1"));
}

TEST(VideoFiles, ABuildWithoutFfmpegSaysWhatToInstall) {
  if (has_ffmpeg()) GTEST_SKIP() << "built with FFmpeg";
  const TemporaryFolder folder;
  put_bytes(folder / "a.mp4", "x");
  EXPECT_THAT(refusal_of([&] { VideoReader{folder / "a.mp4"}; }), HasSubstr("libavformat-dev"));
  EXPECT_THAT(refusal_of([&] {
                VideoWriter{folder / "b.mp4", {.width = 16, .height = 16}};
              }),
              HasSubstr("libavformat-dev"));
}

}  // namespace
}  // namespace sgf
