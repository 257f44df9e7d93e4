#include "sgf/training/update_schedule.h"

#include "sgf/core/error.h"

namespace sgf {

UpdateSchedule update_schedule(const DmdChoices& dmd) {
  return {.generator_every = dmd.generator_every,
          .generator_at_zero = dmd.generator_at_zero,
          .critic_only = dmd.critic_only_steps};
}

void UpdateSchedule::validate() const {
  SGF_CHECK(generator_every >= 1, "generator_every must be at least 1, got {}", generator_every);
  SGF_CHECK(critic_only >= 0, "critic_only must be at least 0, got {}", critic_only);
}

bool UpdateSchedule::updates_generator(int64_t step) const {
  SGF_CHECK(step >= 0, "the step must be at least 0, got {}", step);
  if (step < critic_only) return false;
  return step == 0 ? generator_at_zero : step % generator_every == 0;
}

bool UpdateSchedule::updates_critic(int64_t step) const {
  SGF_CHECK(step >= 0, "the step must be at least 0, got {}", step);
  return true;
}

UpdateCounts UpdateSchedule::counts_after(int64_t steps) const {
  SGF_CHECK(steps >= 0, "the number of steps must be at least 0, got {}", steps);
  if (steps == 0) return {};
  // Multiples of generator_every in 1 .. n, and step 0 if it counts.
  const auto generator_updates_in = [this](int64_t n) {
    return n == 0 ? 0 : (n - 1) / generator_every + (generator_at_zero ? 1 : 0);
  };
  const int64_t skipped = generator_updates_in(critic_only < steps ? critic_only : steps);
  return {.generator = generator_updates_in(steps) - skipped, .critic = steps};
}

}  // namespace sgf
