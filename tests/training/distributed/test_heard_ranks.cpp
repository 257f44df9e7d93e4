// Silence is told from a slow step and from a farewell.
#include "sgf/training/distributed/heard_ranks.h"

#include "sgf/training/distributed/rank_settings.h"
#include "tests/core/refusal.h"

namespace sgf {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

const HeardRanks::Time kStart{};

TEST(HeardRanks, ARankIsSilentOnceItsBeatStopsAndNotBefore) {
  HeardRanks heard(2, kStart);
  heard.note(0, {.beat = 1}, kStart + 10s);
  heard.note(1, {.beat = 1}, kStart + 10s);
  EXPECT_FALSE(heard.silent_for(5s, kStart + 15s));
  heard.note(0, {.beat = 2}, kStart + 16s);
  heard.note(1, {.beat = 1}, kStart + 16s);  // the same beat again is no sign of life
  const auto silent = heard.silent_for(5s, kStart + 16s);
  ASSERT_TRUE(silent);
  EXPECT_EQ(silent->rank, 1);
  EXPECT_EQ(silent->since, 6s);
}

TEST(HeardRanks, TheLongestSilenceIsNamed) {
  HeardRanks heard(3, kStart);
  heard.note(0, {.beat = 1}, kStart + 1s);
  heard.note(2, {.beat = 1}, kStart + 2s);
  EXPECT_EQ(heard.silent_for(5s, kStart + 20s)->rank, 1);
}

TEST(HeardRanks, ARankThatLeftIsNotSilentButMayBeMissed) {
  HeardRanks heard(2, kStart);
  heard.note(0, {.beat = 1, .collectives = 4}, kStart);
  heard.note(1, {.beat = 1, .collectives = 3, .has_left = true}, kStart);
  EXPECT_EQ(heard.silent_for(5s, kStart + 20s)->rank, 0);
  EXPECT_FALSE(heard.left_before(3));
  EXPECT_EQ(heard.left_before(4), 1);
  EXPECT_THAT(heard.behind(4), ElementsAre(1));
  EXPECT_FALSE(heard.have_all_left());
  heard.note(0, {.beat = 2, .collectives = 4, .has_left = true}, kStart);
  EXPECT_TRUE(heard.have_all_left());
}

TEST(HeardRanks, ASignReadsBackAndNonsenseIsRefused) {
  const SignOfLife sign{.beat = 7, .collectives = 12345678901, .has_left = true};
  EXPECT_EQ(read_sign(write_sign(sign)), sign);
  EXPECT_THAT(refusal_of([] { read_sign("hello"); }), HasSubstr("heartbeat of a rank"));
}

TEST(RankSettings, ALimitThatOneLateBeatWouldReachIsRefused) {
  RankSettings().validate();
  EXPECT_THAT(refusal_of([] { RankSettings{.beat = 2s, .silence = 3s}.validate(); }),
              HasSubstr("at least 3 heartbeats"));
  EXPECT_THAT(refusal_of([] { RankSettings{.patience = 1s}.validate(); }), HasSubstr("patience"));
}

}  // namespace
}  // namespace sgf
