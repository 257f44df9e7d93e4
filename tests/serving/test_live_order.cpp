// Prompts, seeds and branches change the order of a stream from a block on, and never before it.
#include "sgf/core/error.h"
#include "sgf/serving/live_order.h"
#include "sgf/streaming/stream_parts.h"

#include <gtest/gtest.h>

namespace sgf {
namespace {

GenerateOrder plain_order() {
  GenerateOrder order;
  order.config.context.block_frames = 3;
  order.config.video.fps = 16;
  order.config.run.seed = 7;
  order.prompts = {{0, "first"}, {5, "later"}};
  return order;
}

TEST(LiveOrder, ATimeIsInTheBlockThatShowsIt) {
  const Config c = plain_order().config;
  for (const int64_t block : {0, 1, 2, 3, 50, 100'000}) {
    const double begin = block_seconds(c, block);
    EXPECT_EQ(begin, static_cast<double>(pictures_for(block, c)) / 16);
    EXPECT_EQ(block_at_seconds(c, begin), block);
    EXPECT_EQ(block_at_seconds(c, begin + 0.01), block);
    EXPECT_EQ(block_at_seconds(c, begin - 0.01 + (block == 0 ? 0.01 : 0)), std::max<int64_t>(block - 1, 0));
  }
  EXPECT_THROW(block_at_seconds(c, -1), Error);
  EXPECT_THROW(block_at_seconds(c, 1e10), Error);
}

TEST(LiveOrder, APromptHoldsFromItsBlockUntilTheNextOne) {
  GenerateOrder order = plain_order();
  direct(order, 2, "second", PromptSwitch::kRecache);
  ASSERT_EQ(order.prompts.size(), 3u);
  EXPECT_EQ(order.prompts[1], (TimedPrompt{block_seconds(order.config, 2), "second", PromptSwitch::kRecache}));
  EXPECT_EQ(order.prompts[2].prompt, "later");
  direct(order, 2, "another", {});  // in its place
  ASSERT_EQ(order.prompts.size(), 3u);
  EXPECT_EQ(order.prompts[1], (TimedPrompt{block_seconds(order.config, 2), "another", std::nullopt}));
  direct(order, 0, "new first", PromptSwitch::kNewSink);
  EXPECT_EQ(order.prompts[0], (TimedPrompt{0, "new first", std::nullopt})) << "there is nothing to switch from";
}

// "later", at 5 s, begins to hold at the first block that begins there or after it.
TEST(LiveOrder, APromptReplacesOneThatWouldBeginToHoldAtTheSameBlock) {
  GenerateOrder order = plain_order();
  const int64_t block = block_at_seconds(order.config, 5) + 1;
  direct(order, block, "instead", {});
  ASSERT_EQ(order.prompts.size(), 2u);
  EXPECT_EQ(order.prompts[1].prompt, "instead");
  order = plain_order();  // the control: a block earlier, both stay
  direct(order, block - 1, "before", {});
  EXPECT_EQ(order.prompts.size(), 3u);
}

TEST(LiveOrder, TheOrderOfTheFirstBlocksForgetsWhatComesLater) {
  GenerateOrder order = plain_order();
  direct(order, 2, "second", {});
  reseed(order, 3, 99);
  EXPECT_EQ(order_of_blocks(order, 0).prompts.size(), 1u);
  EXPECT_EQ(order_of_blocks(order, 2).prompts.size(), 1u);
  EXPECT_EQ(order_of_blocks(order, 3).prompts.size(), 2u);
  EXPECT_TRUE(order_of_blocks(order, 3).seeds.empty());
  EXPECT_EQ(order_of_blocks(order, 4).seeds, (std::vector<SeedChange>{{3, 99}}));
  reseed(order, 0, 5);
  EXPECT_EQ(order.config.run.seed, 5);
  EXPECT_TRUE(order.seeds.empty());
}

}  // namespace
}  // namespace sgf
