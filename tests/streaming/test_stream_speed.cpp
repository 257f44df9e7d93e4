// How fast a stream says it was.
#include "sgf/streaming/stream_speed.h"

#include <gtest/gtest.h>

namespace sgf {
namespace {

StreamSpeed speed_of(const std::vector<BlockTimes>& blocks, int64_t filling_blocks) {
  SpeedMeter meter(filling_blocks);
  for (const BlockTimes& block : blocks) meter.add(block);
  StreamSpeed speed;
  meter.fill(speed);
  return speed;
}

// The second block was denoised while the first was decoded: it came 100 ms after it, though a block takes 150.
TEST(StreamSpeed, AShortVideoIsNeverFasterThanItsSlowestPart) {
  const StreamSpeed speed = speed_of({{.pictures = 3, .denoise = 150, .decode = 60, .deliver = 1, .since_last = 260},
                                      {.pictures = 3, .denoise = 150, .decode = 10, .deliver = 1, .since_last = 100}},
                                     /*filling_blocks=*/4);
  EXPECT_DOUBLE_EQ(speed.fps, 20);
  EXPECT_DOUBLE_EQ(speed.fps, speed.fps_denoise);
}

TEST(StreamSpeed, WhereDeliveriesAreTheSlowestTheyTell) {
  const StreamSpeed speed = speed_of({{.pictures = 3, .denoise = 100, .decode = 10, .deliver = 1, .since_last = 120},
                                      {.pictures = 3, .denoise = 100, .decode = 10, .deliver = 1, .since_last = 150}},
                                     /*filling_blocks=*/4);
  EXPECT_DOUBLE_EQ(speed.fps, 20);
  EXPECT_DOUBLE_EQ(speed.fps_denoise, 30);
}

}  // namespace
}  // namespace sgf
