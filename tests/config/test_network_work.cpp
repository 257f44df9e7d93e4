#include "sgf/config/network_work.h"

#include "sgf/config/config.h"

#include <gtest/gtest.h>

namespace sgf {
namespace {

TEST(NetworkWork, IsTokensTimesTheLargestMatrix) {
  Config config;
  config.model.dim = 10;
  config.model.ffn_dim = 30;
  config.model.patch_size = {1, 2, 2};
  config.video = {.frames = 21, .height = 8, .width = 6};
  config.context.block_frames = 3;
  EXPECT_EQ(work_of_block(config), 3 * 12 * 10 * 30);
  EXPECT_EQ(work_of_clips(config, 2), 2 * 21 * 12 * 10 * 30);
}

TEST(NetworkWork, OfSizesBeyondAllMemoryIsStillANumber) {
  Config config;
  config.model.dim = config.model.ffn_dim = config.video.height = INT64_MAX;
  EXPECT_GT(work_of_block(config), 1e50);
}

}  // namespace
}  // namespace sgf
