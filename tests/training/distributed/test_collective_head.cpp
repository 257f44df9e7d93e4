// Heads of collectives: one size for all, so that ranks who came to different ones can say so.
#include "sgf/training/distributed/collective_head.h"

#include <gtest/gtest.h>

namespace sgf {
namespace {

const Collective kSum{Move::kSum, 7, 900}, kBroadcast{Move::kBroadcast, 7, 900};

TEST(CollectiveHead, AllHeadsHaveOneSize) {
  const size_t size = write_head(kSum, {}).size();
  for (const size_t values : {0U, 1U, 13U, 14U, 100U})
    EXPECT_EQ(write_head({.numbers = static_cast<int64_t>(values)}, std::vector<double>(values, 0.5)).size(), size);
}

TEST(CollectiveHead, SaysWhatTheRankIsAboutToDo) {
  EXPECT_EQ(read_head(write_head(kSum, {})), kSum);
  EXPECT_NE(read_head(write_head(kSum, {})), kBroadcast);
  EXPECT_EQ(kSum.words(), "sums 7 tensors of 900 numbers");
  EXPECT_EQ(kBroadcast.words(), "broadcasts 7 tensors of 900 numbers");
  EXPECT_EQ((Collective{.numbers = 3}.words()), "exchanges 3 numbers");
}

TEST(CollectiveHead, CarriesAFewNumbersAndNoMore) {
  const std::vector<double> few{1, -2, 0.1}, many(14, 1.0);
  EXPECT_TRUE(is_carried(few));
  EXPECT_EQ(carried_by(write_head({.numbers = 3}, few)), few);
  EXPECT_FALSE(is_carried(many));
}

}  // namespace
}  // namespace sgf
