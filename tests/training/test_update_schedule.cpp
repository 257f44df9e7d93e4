// Which networks a step updates, and the counts that follow from it.
#include "sgf/training/update_schedule.h"

#include "tests/core/refusal.h"

#include <vector>

namespace sgf {
namespace {

std::vector<int64_t> generator_steps(const UpdateSchedule& schedule, int64_t steps) {
  std::vector<int64_t> updated;
  for (int64_t step = 0; step < steps; ++step) {
    if (schedule.updates_generator(step)) updated.push_back(step);
  }
  return updated;
}

TEST(UpdateSchedule, UpdatesTheGeneratorEveryFifthStepButNotAtZero) {
  EXPECT_EQ(generator_steps({}, 16), (std::vector<int64_t>{5, 10, 15}));
}

TEST(UpdateSchedule, UpdatesTheGeneratorAtZeroWhereSelfForcingsLoopIsAskedFor) {
  EXPECT_EQ(generator_steps({.generator_at_zero = true}, 16), (std::vector<int64_t>{0, 5, 10, 15}));
}

TEST(UpdateSchedule, UpdatesTheCriticAtEveryStep) {
  for (int64_t step = 0; step < 12; ++step) EXPECT_TRUE(UpdateSchedule{}.updates_critic(step));
}

TEST(UpdateSchedule, CountsAreThoseOfWalkingTheSteps) {
  for (const int64_t every : {1, 2, 5, 7}) {
    for (const bool at_zero : {false, true}) {
      const UpdateSchedule schedule{.generator_every = every, .generator_at_zero = at_zero};
      for (int64_t steps = 0; steps < 40; ++steps) {
        const auto walked = static_cast<int64_t>(generator_steps(schedule, steps).size());
        EXPECT_EQ(schedule.counts_after(steps), (UpdateCounts{.generator = walked, .critic = steps}))
            << "every " << every << ", at zero " << at_zero << ", steps " << steps;
      }
    }
  }
}

TEST(UpdateSchedule, RefusesARatioOfZeroAndStepsBeforeTheFirst) {
  EXPECT_THAT(refusal_of([] { UpdateSchedule{.generator_every = 0}.validate(); }), ::testing::HasSubstr("got 0"));
  EXPECT_THAT(refusal_of([] { UpdateSchedule{}.updates_generator(-1); }), ::testing::HasSubstr("got -1"));
  EXPECT_THAT(refusal_of([] { UpdateSchedule{}.counts_after(-3); }), ::testing::HasSubstr("got -3"));
  EXPECT_NO_THROW(UpdateSchedule{.generator_every = 1}.validate());
}

}  // namespace
}  // namespace sgf
