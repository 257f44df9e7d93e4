// Raw video has the colours of its standard, can be piped, and goes on after a kill.
#include "sgf/media/video_reader.h"
#include "sgf/media/video_writer.h"
#include "sgf/media/video_y4m.h"

#include "../core/refusal.h"
#include "../core/temporary_folder.h"
#include "known_pictures.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace sgf {
namespace {

using sgf::testing::bytes_of;
using sgf::testing::has_program;
using sgf::testing::kHeight;
using sgf::testing::kWidth;
using sgf::testing::mean_error;
using sgf::testing::output_of;
using sgf::testing::put_bytes;
using sgf::testing::slopes;
using sgf::testing::TemporaryFolder;
using ::testing::HasSubstr;

void write_y4m(Y4mWriter&& writer, int64_t end) {
  while (writer.pictures() < end) writer.add(slopes(writer.pictures()));
  writer.finish();
}

TEST(Y4mVideo, IsReadBackToAStepOfItsColours) {
  if (video_component() == "no FFmpeg") GTEST_SKIP() << "built without FFmpeg";
  const TemporaryFolder folder;
  const std::filesystem::path path = folder / "a.y4m";
  write_y4m({open_video_output(path, true), {.width = kWidth, .height = kHeight, .fps = 12.5}}, 3);
  VideoReader reader(path);
  EXPECT_DOUBLE_EQ(reader.fps().value(), 12.5);
  for (int64_t f = 0; f < 3; ++f) EXPECT_LT(mean_error(reader.next().value(), slopes(f)), 1.5);
  EXPECT_FALSE(reader.next().has_value());
  if (!has_program("ffprobe")) GTEST_SKIP() << "no ffprobe here";
  EXPECT_THAT(output_of("ffprobe -v error -show_streams -count_frames '" + path.string() + "'"),
              ::testing::AllOf(HasSubstr("nb_read_frames=3"), HasSubstr("pix_fmt=yuv420p\n"),
                               HasSubstr("color_range=tv"), HasSubstr("chroma_location=center")));
}

// Of one colour: how far an odd edge's colour reaches is for each reader to say.
TEST(Y4mVideo, TakesOddSizes) {
  if (video_component() == "no FFmpeg") GTEST_SKIP() << "built without FFmpeg";
  const TemporaryFolder folder;
  RgbImage image{.height = 5, .width = 7};
  for (int i = 0; i < 35; ++i) image.pixels.insert(image.pixels.end(), {200, 40, 90});
  EXPECT_EQ(to_yuv420(image).size(), 35u + 2 * 3 * 4);
  Y4mWriter writer(open_video_output(folder / "a.y4m", true), {.width = 7, .height = 5});
  for (int i = 0; i < 3; ++i) writer.add(image);
  writer.finish();
  VideoReader reader(folder / "a.y4m");
  for (int i = 0; i < 3; ++i) EXPECT_LT(mean_error(reader.next().value(), image), 1.5);
}

// From the definition of BT.709 in limited range.
TEST(Y4mVideo, HasTheColoursOfTheStandard) {
  const auto yuv = [](uint8_t red, uint8_t green, uint8_t blue) {
    RgbImage image{.height = 2, .width = 2};
    for (int i = 0; i < 4; ++i) image.pixels.insert(image.pixels.end(), {red, green, blue});
    const std::vector<std::byte> bytes = to_yuv420(image);
    EXPECT_EQ(bytes.size(), 6u);
    return std::vector<int>{static_cast<int>(bytes[0]), static_cast<int>(bytes[4]), static_cast<int>(bytes[5])};
  };
  EXPECT_EQ(yuv(0, 0, 0), (std::vector{16, 128, 128}));
  EXPECT_EQ(yuv(255, 255, 255), (std::vector{235, 128, 128}));
  EXPECT_EQ(yuv(255, 0, 0), (std::vector{63, 102, 240}));
  EXPECT_EQ(yuv(0, 255, 0), (std::vector{173, 42, 26}));
  EXPECT_EQ(yuv(0, 0, 255), (std::vector{32, 240, 118}));
}

TEST(Y4mVideo, ContinuedEqualsTheUnbrokenOneAndOthersAreRefused) {
  const TemporaryFolder folder;
  const std::filesystem::path path = folder / "a.y4m";
  const Y4mSettings settings{.width = kWidth, .height = kHeight};
  write_y4m({open_video_output(path, true), settings}, 9);
  const std::string unbroken = bytes_of(path);
  put_bytes(path, unbroken.substr(0, unbroken.size() * 3 / 4));
  EXPECT_EQ(count_y4m_pictures(path, settings), 6);  // the last is not whole
  write_y4m({path, settings, 5}, 9);
  EXPECT_TRUE(bytes_of(path) == unbroken);
  EXPECT_EQ(count_y4m_pictures(path, settings), 9);
  EXPECT_EQ(count_y4m_pictures(path, {.width = kWidth, .height = kHeight + 2}), std::nullopt);
  EXPECT_THAT(refusal_of([&] { Y4mWriter(path, settings, 10); }), HasSubstr("cannot be continued after 10 frames"));
  EXPECT_THAT(refusal_of([&] { Y4mWriter(path, {.width = kWidth, .height = kHeight, .fps = 8}, 5); }),
              HasSubstr("header does not match"));
  EXPECT_TRUE(bytes_of(path) == unbroken);
}

TEST(Y4mVideo, GoesToTheStandardOutputAsToAFile) {
  const TemporaryFolder folder;
  const Y4mSettings settings{.width = kWidth, .height = kHeight};
  write_y4m({open_video_output(folder / "a.y4m", true), settings}, 3);
  std::fflush(stdout);
  const int before = ::dup(STDOUT_FILENO);
  const int file = ::open((folder / "b.y4m").c_str(), O_WRONLY | O_CREAT, 0666);
  ::dup2(file, STDOUT_FILENO);
  write_y4m({open_standard_output(), settings}, 3);
  ::dup2(before, STDOUT_FILENO);
  ::close(before);
  ::close(file);
  EXPECT_TRUE(bytes_of(folder / "a.y4m") == bytes_of(folder / "b.y4m"));
}

TEST(Y4mVideo, APipeThatNobodyReadsIsAnErrorAndNoDeath) {
  const TemporaryFolder folder;
  const std::filesystem::path path = folder / "pipe";
  ASSERT_EQ(
      std::system(("mkfifo '" + path.string() + "' && (head -c 100 '" + path.string() + "' >/dev/null &)").c_str()), 0);
  EXPECT_THAT(refusal_of([&] {
                write_y4m({open_video_output(path, true), {.width = kWidth, .height = kHeight}}, 1000);
              }),
              HasSubstr("the reader has closed the pipe"));
  sigset_t pending;
  ::sigpending(&pending);
  EXPECT_EQ(::sigismember(&pending, SIGPIPE), 0);
}

}  // namespace
}  // namespace sgf
