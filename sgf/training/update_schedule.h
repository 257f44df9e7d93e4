// Which networks a step updates: a pure function of the step, so that a resumed run needs no counter.
#pragma once

#include "sgf/training/settings/train_settings.h"

#include <cstdint>

namespace sgf {

// How often each network was updated.
struct UpdateCounts {
  int64_t generator = 0;
  int64_t critic = 0;

  bool operator==(const UpdateCounts&) const = default;
};

// The critic is updated at every step, the generator at every `generator_every`th. Steps count from 0.
struct UpdateSchedule {
  int64_t generator_every = 5;  // Self-Forcing's dfake_gen_update_ratio
  // Self-Forcing's loop tests step % 5 == 0, so it updates the generator at step 0, with a critic that has not seen its
  // videos. Off by default.
  bool generator_at_zero = false;
  // Steps 0 .. critic_only - 1 do not update the generator: a critic far from the student's videos gives no useful
  // gradient.
  int64_t critic_only = 0;

  void validate() const;
  bool updates_generator(int64_t step) const;
  bool updates_critic(int64_t step) const;

  // After the steps 0 .. steps - 1.
  UpdateCounts counts_after(int64_t steps) const;
};

UpdateSchedule update_schedule(const DmdChoices& dmd);

}  // namespace sgf
