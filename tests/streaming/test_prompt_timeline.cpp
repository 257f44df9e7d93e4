// Times as people write them, and scripts of prompts.
#include "sgf/streaming/prompt_timeline.h"
#include "sgf/streaming/stream_speed.h"
#include "tests/core/refusal.h"
#include "tests/core/temporary_folder.h"

#include <gtest/gtest.h>

#include <fstream>

namespace sgf {
namespace {

using testing::TemporaryFolder;

TEST(Time, IsWrittenInSecondsMinutesOrHours) {
  EXPECT_EQ(parse_time("20"), 20);
  EXPECT_EQ(parse_time("20.5"), 20.5);
  EXPECT_EQ(parse_time("0:20"), 20);
  EXPECT_EQ(parse_time("10:00"), 600);
  EXPECT_EQ(parse_time("1:02:03.5"), 3723.5);
  EXPECT_EQ(parse_time("100000"), 100000);
}

TEST(Time, ThatIsNoneIsRefused) {
  for (const char* text : {"", ":", "x", "-1", "1:", "1:60", "1:2", "1.5:20", "1e3", "nan", "inf", "0:20 ", "1::20",
                           "1000000001", "99999999999999999999999999999999"})
    EXPECT_NE(refusal_of([&] { parse_time(text); }).find("a time must be written like"), std::string::npos) << text;
}

TEST(Time, IsSpelledAsItIsRead) {
  for (const double seconds : {0.0, 5.0, 20.5, 60.0, 3599.0, 3723.5, 90000.0})
    EXPECT_EQ(parse_time(spell_time(seconds)), seconds) << spell_time(seconds);
}

std::filesystem::path script(const TemporaryFolder& folder, const std::string& text) {
  std::ofstream(folder.path() / "script.txt", std::ios::binary) << text;
  return folder.path() / "script.txt";
}

TEST(PromptScript, IsALineAPrompt) {
  const TemporaryFolder folder;
  const auto prompts =
      read_prompt_script(script(folder, "\xef\xbb\xbf# a walk\r\n0:00 a dog\r\n\r\n0:20\ta cat, 3:2\n"));
  EXPECT_EQ(prompts, (std::vector<TimedPrompt>{{0, "a dog"}, {20, "a cat, 3:2"}}));
}

TEST(PromptScript, SaysWhichLineIsWrong) {
  const TemporaryFolder folder;
  const auto refusal = [&](const std::string& text) {
    return refusal_of([&] { read_prompt_script(script(folder, text)); });
  };
  EXPECT_NE(refusal("0:00 a dog\na cat\n").find("a cat"), std::string::npos);
  EXPECT_NE(refusal("0:00 a dog\n0:20\n").find("0:20"), std::string::npos);
  EXPECT_NE(refusal("0:10 a dog\n").find("0:00"), std::string::npos);
  EXPECT_NE(refusal("0:00 a dog\n0:20 a cat\n0:20 a cow\n").find("a cow"), std::string::npos);
  EXPECT_NE(refusal("# nothing\n").find("at least one prompt"), std::string::npos);
}

TEST(StreamSpeed, IsThatOfBlocksWithAFullWindow) {
  SpeedMeter meter(/*filling_blocks=*/3);
  meter.add({.pictures = 9, .denoise = 500, .decode = 50, .deliver = 5, .since_last = 900});
  for (int i = 0; i < 2; ++i) meter.add({.pictures = 12, .denoise = 50, .decode = 50, .deliver = 5, .since_last = 60});
  for (int i = 0; i < 4; ++i)
    meter.add({.pictures = 12, .denoise = 100, .decode = 60, .deliver = 10, .since_last = 120});
  StreamSpeed speed;
  meter.fill(speed);
  EXPECT_EQ(speed.blocks, 7);
  EXPECT_EQ(speed.pictures, 81);
  EXPECT_DOUBLE_EQ(speed.first_picture_s, 0.9);
  EXPECT_DOUBLE_EQ(speed.fps, 100);
  EXPECT_DOUBLE_EQ(speed.fps_denoise, 120);
  EXPECT_DOUBLE_EQ(speed.fps_decode, 200);
  EXPECT_DOUBLE_EQ(speed.block_p50_ms, 120);
  EXPECT_EQ(to_json(speed)["frames"], 81);
}

TEST(StreamSpeed, OfASingleBlockIsThatBlocks) {
  SpeedMeter meter(/*filling_blocks=*/3);
  meter.add({.pictures = 9, .denoise = 500, .decode = 50, .deliver = 5, .since_last = 900});
  StreamSpeed speed;
  meter.fill(speed);
  EXPECT_DOUBLE_EQ(speed.fps, 10);
  meter.add({.pictures = 12, .denoise = 50, .decode = 50, .deliver = 5, .since_last = 60});
  meter.fill(speed);
  EXPECT_DOUBLE_EQ(speed.fps, 200);
}

}  // namespace
}  // namespace sgf
