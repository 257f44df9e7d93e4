// The sigma of a timestep: t / 1000, or that of the nearest entry of the schedule's table.
#include "sgf/schedule/sigma_rule.h"

#include "sgf/core/error.h"
#include "sgf/schedule/flow_schedule.h"
#include "sgf/schedule/schedule_settings.h"

#include <gtest/gtest.h>

#include <cmath>

namespace sgf {
namespace {

SigmaRule nearest(double shift = 5, int64_t entries = 1000) {
  return {.lookup = SigmaLookup::kNearestTable, .shift = shift, .entries = entries};
}

TEST(SigmaRule, ExactLookupMapsZeroToClean) {
  EXPECT_EQ(SigmaRule{}.at(0), 0);
  EXPECT_EQ(SigmaRule{}.at(937.5), 0.9375);
}

TEST(SigmaRule, NearestTableLookupDoesNot) {
  EXPECT_NEAR(nearest().at(0), 0.00498, 1e-5);
  EXPECT_NEAR(nearest(8).at(0), 0.00794, 1e-5);
}

// A timestep in the middle between two entries may go to either: ours are float64 and the rule's float32.
TEST(SigmaRule, TheNearestEntryIsTheOneOfTheTable) {
  for (const SigmaRule& rule : {nearest(), nearest(8), nearest(1, 4), nearest(5, 50), nearest(0.3, 7), nearest(5, 1)}) {
    const FlowSchedule table(rule.shift, rule.entries);
    const auto expect_entry = [&](double t) {
      const double found = rule.at(t), wanted = table.sigmas()[table.nearest_entry(t)];
      EXPECT_NEAR(std::abs(1000 * found - t), std::abs(1000 * wanted - t), 2e-4) << t << " of " << rule.entries;
      EXPECT_EQ(found, static_cast<double>(static_cast<float>(found)));
    };
    for (double t = 0; t <= 1000; t += 0.73) expect_entry(t);
    for (const double t : table.timesteps()) expect_entry(t);
  }
}

// As a recording of the release has them: its table is float32.
TEST(SigmaRule, NearestTableHasTheSigmasOfTheRelease) {
  EXPECT_EQ(nearest().at(833.3333129882812), 0.8333333134651184);
  EXPECT_EQ(nearest().at(0), 0.004980080295354128);
  EXPECT_NE(SigmaRule{}.at(833.3333129882812), 0.8333333134651184);
}

TEST(SigmaRule, RefusesWhatIsNoTimestep) {
  for (const SigmaRule& rule : {SigmaRule{}, nearest()}) {
    EXPECT_THROW(rule.at(-1), Error);
    EXPECT_THROW(rule.at(1000.1), Error);
  }
}

TEST(ScheduleSettings, TheirRuleHasTheirTable) {
  const ScheduleSettings settings{.shift = 3, .table_size = 20, .sigma_lookup = SigmaLookup::kNearestTable};
  EXPECT_EQ(settings.sigma_rule(), nearest(3, 20));
  EXPECT_EQ(ScheduleSettings{}.sigma_rule().at(625), 0.625);
}

}  // namespace
}  // namespace sgf
