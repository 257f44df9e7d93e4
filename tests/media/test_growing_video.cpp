// A video that grows in place can be played wherever it is cut, goes on after a kill as if there had been none, and
// says what made it.
#include "sgf/media/video_fragments.h"
#include "sgf/media/video_reader.h"
#include "sgf/media/video_writer.h"

#include "../core/refusal.h"
#include "../core/temporary_folder.h"
#include "known_pictures.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <fstream>
#include <random>
#include <sstream>
#include <string>
#include <vector>

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

constexpr int64_t kFrames = 43, kBlock = 6;  // pictures between two syncs, of which the last are fewer

VideoFileSettings growing(double fps = 8) {
  return {.width = kWidth, .height = kHeight, .fps = fps, .growth = VideoGrowth::kInPlace};
}

// Pictures [begin, end) with a sync after each whole block. Where the writer stood after each sync comes back.
std::vector<SinkPlace> add_blocks(VideoWriter& writer, int64_t begin, int64_t end) {
  std::vector<SinkPlace> places;
  for (int64_t f = begin; f < end; ++f) {
    writer.add(slopes(f));
    if ((f + 1) % kBlock == 0) places.push_back(writer.sync());
  }
  return places;
}

std::vector<SinkPlace> write_unbroken(const std::filesystem::path& path, const VideoFileSettings& settings) {
  VideoWriter writer(path, settings);
  std::vector<SinkPlace> places = add_blocks(writer, 0, kFrames);
  writer.finish();
  return places;
}

// Of a fragment that a kill left in pieces a player may complain, and go on.
enum class Complaints { kFail, kPass };

// What an independent program says of the times of a file's pictures, in seconds.
std::vector<double> probed_times(const std::filesystem::path& path, Complaints complaints = Complaints::kFail) {
  std::istringstream lines(output_of("ffprobe -v error -select_streams v -show_entries frame=pts_time -of csv=p=0 '" +
                                     path.string() + "' 2>&1"));
  std::vector<double> times;
  for (std::string line; std::getline(lines, line);) {
    double time = 0;
    if (std::istringstream(line) >> time) {
      times.push_back(time);
    } else {
      EXPECT_TRUE(line.empty() || complaints == Complaints::kPass) << "ffprobe says: " << line;
    }
  }
  return times;
}

void expect_even_times(const std::vector<double>& times, double fps) {
  for (size_t i = 0; i < times.size(); ++i) EXPECT_NEAR(times[i], static_cast<double>(i) / fps, 1e-4) << i;
}

// A sanitizer keeps freed memory for a while.
constexpr bool under_sanitizer() {
#ifdef __SANITIZE_ADDRESS__
  return true;
#else
  return false;
#endif
}

int64_t resident_bytes() {
  std::ifstream file("/proc/self/statm");
  int64_t total = 0, resident = 0;
  file >> total >> resident;
  return resident * ::sysconf(_SC_PAGESIZE);
}

class GrowingVideo : public ::testing::Test {
 protected:
  void SetUp() override {
    if (video_component() == "no FFmpeg") GTEST_SKIP() << "built without FFmpeg";
  }

  const TemporaryFolder folder_;
  const std::filesystem::path path_ = folder_ / "a.mp4";
};

TEST_F(GrowingVideo, HoldsAllThatCameAfterASyncAndPlaysWhileItGrows) {
  VideoWriter writer(path_, growing());
  for (int64_t f = 0; f < kFrames; ++f) {
    writer.add(slopes(f));
    if (f % 5 != 0) continue;
    const SinkPlace place = writer.sync();
    EXPECT_EQ(place.pictures, f + 1);
    EXPECT_EQ(static_cast<uintmax_t>(place.bytes), std::filesystem::file_size(path_));
    EXPECT_EQ(count_frames(path_), f + 1);
    EXPECT_EQ(scan_grown_video(path_).pictures, f + 1);
  }
  writer.finish();
  EXPECT_EQ(count_frames(path_), kFrames);
  EXPECT_EQ(scan_grown_video(path_).pictures, kFrames);
}

TEST_F(GrowingVideo, ContinuedAfterAKillEqualsTheUnbrokenOneByteForByte) {
  for (const std::string encoder : {"", "mpeg4"}) {
    VideoFileSettings settings = growing(12.5);
    settings.encoder = encoder;
    settings.note = R"({"seed": 7})";
    const std::vector<SinkPlace> places = write_unbroken(path_, settings);
    const std::string unbroken = bytes_of(path_);
    for (const SinkPlace& place : places) {
      {
        VideoWriter killed(path_, settings);
        add_blocks(killed, 0, std::min(place.pictures + 5, kFrames));
      }
      VideoWriter writer(path_, settings, place);
      add_blocks(writer, place.pictures, kFrames);
      writer.finish();
      EXPECT_TRUE(bytes_of(path_) == unbroken) << encoder << " continued after " << place.pictures;
    }
    EXPECT_EQ(count_frames(path_), kFrames);
    if (has_program("ffprobe")) {
      const std::vector<double> times = probed_times(path_);
      EXPECT_EQ(times.size(), static_cast<size_t>(kFrames));
      expect_even_times(times, 12.5);
    }
  }
  if (!has_program("ffprobe")) std::printf("no ffprobe here: times were not looked at by another program\n");
}

// A place between the kill's last sync and its end is as good as a sync of every picture.
TEST_F(GrowingVideo, CanBeContinuedTwiceAndFromNothing) {
  SinkPlace place;
  {
    VideoWriter writer(path_, growing());
    place = writer.sync();
    EXPECT_EQ(place.pictures, 0);
  }
  for (int64_t f = 0; f < 20; ++f) {
    VideoWriter writer(path_, growing(), place);
    writer.add(slopes(f));
    place = writer.sync();
  }
  EXPECT_EQ(count_frames(path_), 20);
  VideoReader reader(path_);
  for (int64_t f = 0; f < 20; ++f) EXPECT_LT(mean_error(reader.next().value(), slopes(f)), 3);
  if (has_program("ffprobe")) expect_even_times(probed_times(path_), 8);
}

TEST_F(GrowingVideo, OfAnotherKindOrTooShortIsNotContinuedAndNotTouched) {
  const SinkPlace place = write_unbroken(path_, growing())[2];
  const std::string before = bytes_of(path_);
  const auto refusal = [&](const VideoFileSettings& settings, const SinkPlace& from) {
    const std::string message = refusal_of([&] { VideoWriter{path_, settings, from}; });
    EXPECT_TRUE(bytes_of(path_) == before);
    EXPECT_THAT(message, HasSubstr("a.mp4"));
    return message;
  };
  EXPECT_THAT(refusal(growing(16), place), HasSubstr("header does not match")) << "16 and 8 share a time scale";
  VideoFileSettings wider = growing(), noted = growing(), other = growing(), whole = growing();
  wider.width += 2;
  noted.note = "another";
  other.encoder = "mpeg4";
  whole.growth = VideoGrowth::kWhole;
  EXPECT_THAT(refusal(wider, place), HasSubstr("header does not match"));
  EXPECT_THAT(refusal(noted, place), HasSubstr("header does not match"));
  EXPECT_THAT(refusal(other, place), HasSubstr("header does not match"));
  EXPECT_THAT(refusal(whole, place), HasSubstr("grows in place"));
  EXPECT_THAT(refusal(growing(), {place.pictures, place.bytes - 1}), HasSubstr("up to there it has"));
  EXPECT_THAT(refusal(growing(), {place.pictures + 1, place.bytes}), HasSubstr("up to there it has 18"));
  EXPECT_THAT(refusal(growing(), {9999, 1 << 30}), HasSubstr("up to there it has 43"));
  EXPECT_THAT(refusal_of([&] { VideoWriter{folder_ / "missing.mp4", growing(), place}; }), HasSubstr("missing.mp4"));
  VideoWriter fits(path_, growing(), place);
  EXPECT_TRUE(bytes_of(path_) == before) << "one that fits is untouched, too, until something comes";
  fits.sync();
  EXPECT_EQ(static_cast<int64_t>(std::filesystem::file_size(path_)), place.bytes) << "and is cut then";
}

// What a kill or a power cut leaves: whole fragments, and perhaps a piece of one.
TEST_F(GrowingVideo, PlaysWhereverItIsCutAfterTheFirstFragment) {
  const SinkPlace first = write_unbroken(path_, growing())[0];
  const std::string good = bytes_of(path_);
  const std::filesystem::path cut = folder_ / "cut.mp4";
  const bool probes = has_program("ffprobe");
  std::mt19937_64 draw(5);
  for (int i = 0; i < 120; ++i) {
    const size_t length = static_cast<size_t>(first.bytes) + draw() % (good.size() - static_cast<size_t>(first.bytes));
    put_bytes(cut, good.substr(0, length));
    const GrownVideo whole = scan_grown_video(cut);
    EXPECT_EQ(count_frames(cut), whole.pictures) << length;
    EXPECT_LE(whole.bytes, static_cast<int64_t>(length));
    if (!probes || i % 6 != 0) continue;
    std::filesystem::resize_file(cut, static_cast<uintmax_t>(whole.bytes));  // as a kill of VideoWriter leaves it
    EXPECT_EQ(probed_times(cut).size(), static_cast<size_t>(whole.pictures)) << length;
  }
}

// A hole of 5 GiB before the first fragment stands for the hours that would fill it.
TEST_F(GrowingVideo, GoesOnBeyondFourGigabytes) {
  constexpr int64_t kHole = int64_t{5} << 30;
  const SinkPlace place = write_unbroken(path_, growing())[3];
  const std::string whole = bytes_of(path_);
  const auto head = static_cast<size_t>(scan_grown_video(path_).head_bytes);
  const auto end = static_cast<size_t>(place.bytes);
  std::string hole = std::string("\0\0\0\1free", 8);
  for (int shift = 56; shift >= 0; shift -= 8) hole.push_back(static_cast<char>(kHole >> shift & 0xff));
  put_bytes(path_, whole.substr(0, head) + hole);
  std::filesystem::resize_file(path_, head + static_cast<uintmax_t>(kHole));
  std::ofstream(path_, std::ios::binary | std::ios::app) << whole.substr(head, end - head);
  VideoWriter writer(path_, growing(), {place.pictures, place.bytes + kHole});
  add_blocks(writer, place.pictures, kFrames);
  writer.finish();
  EXPECT_EQ(std::filesystem::file_size(path_), whole.size() + static_cast<uintmax_t>(kHole));
  EXPECT_EQ(scan_grown_video(path_).pictures, kFrames);
  EXPECT_EQ(count_frames(path_), kFrames);
}

// A stream of years: times of 32 bits would end after three days at 16 pictures a second.
TEST_F(GrowingVideo, HasTimesOf64Bits) {
  write_unbroken(path_, growing());
  const std::string bytes = bytes_of(path_);
  int64_t found = 0;
  for (size_t at = bytes.find("tfdt"); at != std::string::npos; at = bytes.find("tfdt", at + 4), ++found) {
    EXPECT_EQ(bytes[at + 4], 1) << "version of the box";
  }
  EXPECT_EQ(found, scan_grown_video(path_).last_fragment);
}

TEST_F(GrowingVideo, OnAFullDiskIsAnErrorAndStaysPlayable) {
  VideoFileSettings settings = growing();
  write_unbroken(path_, settings);
  const auto full = static_cast<rlim_t>(std::filesystem::file_size(path_)) * 3 / 4;
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  auto* const handler = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit small{full, before.rlim_max};
  ::setrlimit(RLIMIT_FSIZE, &small);
  const std::string message = refusal_of([&] { write_unbroken(path_, settings); });
  ::setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  EXPECT_THAT(message, HasSubstr("a.mp4: cannot be written: File too large"));
  EXPECT_GE(count_frames(path_), kFrames / 2);
  EXPECT_EQ(static_cast<uintmax_t>(scan_grown_video(path_).bytes), std::filesystem::file_size(path_)) << "no piece";
}

TEST_F(GrowingVideo, CarriesANoteOfAnyLengthInAnyLanguage) {
  std::string note = R"({"prompt": "色调艳丽 \"naïve\" 🎬", "lines": "a\nb", "more": ")";
  for (int i = 0; i < 6000; ++i) note += "paragraph ";
  note += "\"}";
  for (const VideoGrowth growth : {VideoGrowth::kWhole, VideoGrowth::kInPlace}) {
    VideoFileSettings settings = growing();
    settings.growth = growth;
    settings.note = note;
    VideoWriter writer(path_, settings);
    writer.add(slopes(0));
    writer.finish();
    EXPECT_EQ(read_video_note(path_), note);
    EXPECT_EQ(count_frames(path_), 1);
    if (!has_program("ffprobe")) continue;
    EXPECT_EQ(
        output_of("ffprobe -v error -show_entries format_tags=comment -of csv=p=0:e=none '" + path_.string() + "'"),
        note + "\n");
  }
  write_unbroken(path_, growing());
  EXPECT_EQ(read_video_note(path_), std::nullopt);
  VideoFileSettings zero = growing();
  zero.note = std::string("a\0b", 3);
  EXPECT_THAT(refusal_of([&] { VideoWriter(path_, zero); }), HasSubstr("zero byte"));
}

// An index of fragments would grow by some 40 bytes a fragment; here a fragment comes with every fourth picture.
TEST_F(GrowingVideo, TakesTheSameMemoryHoweverLongItGets) {
  constexpr int64_t kLong = 100'000, kEarly = 4'000;
  VideoWriter writer(path_, {.width = 16, .height = 16, .fps = 4, .growth = VideoGrowth::kInPlace});
  const RgbImage image = slopes(0, 16, 16);
  int64_t early = 0;
  for (int64_t f = 0; f < kLong; ++f) {
    writer.add(image);
    if (f % 2'000 == 1'999) writer.sync();
    if (f == kEarly) early = resident_bytes();
  }
  const int64_t grown = resident_bytes() - early;
  std::printf("%lld pictures: resident memory grew by %lld KiB after the first %lld\n", static_cast<long long>(kLong),
              static_cast<long long>(grown / 1024), static_cast<long long>(kEarly));
  EXPECT_TRUE(under_sanitizer() || grown < 1 << 19) << grown;
  writer.finish();
  EXPECT_EQ(scan_grown_video(path_).pictures, kLong);
  EXPECT_EQ(scan_grown_video(path_).last_fragment, kLong / 4);
}

// A child that writes pictures until it is killed.
pid_t start_writing(const std::filesystem::path& path) {
  const pid_t child = ::fork();
  if (child != 0) return child;
  try {
    VideoWriter writer(path, growing());
    for (int64_t f = 0;; ++f) {
      writer.add(slopes(f));
      if (f % 20 == 19) writer.sync();
    }
  } catch (...) {
    ::_exit(1);
  }
}

void wait_for_a_fragment(const std::filesystem::path& path) {
  const auto has_one = [&] {
    if (!std::filesystem::exists(path) || std::filesystem::is_empty(path)) return false;
    const std::optional<GrownVideo> video = find_grown_video(path);
    return video && video->pictures > 0;
  };
  for (int i = 0; i < 10'000 && !has_one(); ++i) ::usleep(1000);
}

TEST_F(GrowingVideo, FiftyKillsLeaveFiftyPlayableFiles) {
  std::mt19937 draw(11);
  int64_t pieces = 0;
  for (int i = 0; i < 50; ++i) {
    std::filesystem::remove(path_);
    const pid_t child = start_writing(path_);
    wait_for_a_fragment(path_);
    ::usleep(static_cast<useconds_t>(draw() % 60'000));
    ::kill(child, SIGKILL);
    int status = 0;
    ::waitpid(child, &status, 0);
    ASSERT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) << "it ended by itself";
    const GrownVideo video = scan_grown_video(path_);
    EXPECT_GT(video.pictures, 0);
    EXPECT_EQ(count_frames(path_), video.pictures);
    if (static_cast<uintmax_t>(video.bytes) != std::filesystem::file_size(path_)) ++pieces;
    if (has_program("ffprobe")) {
      EXPECT_GE(probed_times(path_, Complaints::kPass).size(), static_cast<size_t>(video.pictures));
    }
  }
  std::printf("50 kills left %lld files with a piece of a fragment\n", static_cast<long long>(pieces));
}

TEST_F(GrowingVideo, OrdinaryFilesHaveNoFragmentsAndOthersAreRefused) {
  VideoFileSettings settings = growing();
  settings.growth = VideoGrowth::kWhole;
  VideoWriter writer(path_, settings);
  EXPECT_THAT(refusal_of([&] { writer.sync(); }), HasSubstr("only a file that grows in place"));
  writer.add(slopes(0));
  writer.finish();
  EXPECT_EQ(scan_grown_video(path_).pictures, 0);
  put_bytes(path_, "these are words, and no video at all\n");
  EXPECT_THAT(refusal_of([&] { scan_grown_video(path_); }), HasSubstr("a.mp4 is not an mp4 file"));
  put_bytes(path_, "");
  EXPECT_THAT(refusal_of([&] { scan_grown_video(path_); }), HasSubstr("a.mp4 is not an mp4 file"));
}

TEST_F(GrowingVideo, DamagedBoxesAreAnErrorOrACountButNoCrash) {
  write_unbroken(path_, growing());
  const std::string good = bytes_of(path_);
  std::mt19937 draw(3);
  for (int i = 0; i < 300; ++i) {
    std::string changed = good;
    for (int j = 0; j < 4; ++j) changed[draw() % changed.size()] = static_cast<char>(draw());
    put_bytes(path_, changed);
    try {
      EXPECT_LE(scan_grown_video(path_).bytes, static_cast<int64_t>(good.size()));
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), HasSubstr("a.mp4"));
    }
  }
}

}  // namespace
}  // namespace sgf
