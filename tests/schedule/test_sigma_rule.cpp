// The sigma of a timestep: t / 1000, or that of the nearest entry of the schedule's table.
#include "sgf/schedule/sigma_rule.h"

#include "sgf/core/error.h"
#include "sgf/schedule/flow_schedule.h"
#include "sgf/schedule/schedule_settings.h"

#include <gtest/gtest.h>

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

TEST(SigmaRule, TheNearestEntryIsTheOneOfTheTable) {
  for (const SigmaRule& rule : {nearest(), nearest(8), nearest(1, 4), nearest(5, 50), nearest(0.3, 7), nearest(5, 1)}) {
    const FlowSchedule table(rule.shift, rule.entries);
    const auto expect_entry = [&](double t) {
      EXPECT_EQ(rule.at(t), table.sigmas()[table.nearest_entry(t)]) << t << " of " << rule.entries;
    };
    for (double t = 0; t <= 1000; t += 0.73) expect_entry(t);
    for (const double t : table.timesteps()) expect_entry(t);
  }
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
