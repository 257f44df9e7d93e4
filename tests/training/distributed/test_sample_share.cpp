// Every sample of an update is run by one rank.
#include "sgf/training/distributed/sample_share.h"

#include "tests/core/refusal.h"

namespace sgf {
namespace {

using ::testing::HasSubstr;

TEST(SampleShare, SharesTileTheBatchInOrder) {
  for (int64_t ranks = 1; ranks <= 9; ++ranks)
    for (int64_t batch = ranks; batch <= 40; ++batch) {
      int64_t next = 0;
      for (int64_t rank = 0; rank < ranks; ++rank) {
        const SampleShare share = share_of(batch, ranks, rank);
        ASSERT_EQ(share.first, next) << batch << " over " << ranks;
        ASSERT_GE(share.count, batch / ranks);
        ASSERT_LE(share.count, batch / ranks + 1);
        next = share.end();
      }
      ASSERT_EQ(next, batch);
    }
}

TEST(SampleShare, AnUnevenBatchGivesTheFirstRanksOneMore) {
  EXPECT_EQ(share_of(8, 3, 0), (SampleShare{0, 3}));
  EXPECT_EQ(share_of(8, 3, 1), (SampleShare{3, 3}));
  EXPECT_EQ(share_of(8, 3, 2), (SampleShare{6, 2}));
}

TEST(SampleShare, FewerSamplesThanRanksAreRefused) {
  EXPECT_THAT(refusal_of([] { share_of(2, 3, 0); }), HasSubstr("global batch of 2 is too small for 3 ranks"));
  EXPECT_THAT(refusal_of([] { share_of(4, 2, 2); }), HasSubstr("rank 2 does not exist among 2 ranks"));
}

}  // namespace
}  // namespace sgf
