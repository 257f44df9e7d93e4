#include "sgf/training/update_schedule.h"

#include "sgf/core/error.h"

namespace sgf {

void UpdateSchedule::validate() const {
  check(generator_every >= 1, "training", "the generator must be updated every 1 or more steps, got {}",
        generator_every);
}

bool UpdateSchedule::updates_generator(int64_t step) const {
  check(step >= 0, "training", "steps count from 0, got {}", step);
  return step == 0 ? generator_at_zero : step % generator_every == 0;
}

bool UpdateSchedule::updates_critic(int64_t step) const {
  check(step >= 0, "training", "steps count from 0, got {}", step);
  return true;
}

UpdateCounts UpdateSchedule::counts_after(int64_t steps) const {
  check(steps >= 0, "training", "a count of steps cannot be negative, got {}", steps);
  if (steps == 0) return {};
  return {.generator = (steps - 1) / generator_every + (generator_at_zero ? 1 : 0), .critic = steps};
}

}  // namespace sgf
