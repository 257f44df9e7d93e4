// How far a study has come and what is still to be paid for. Torch-free.
#pragma once

#include "lab/study/arm_file.h"

#include <optional>
#include <vector>

namespace sgf {

enum class ArmState { kNothing, kBegun, kTrained, kEvaluated };

struct PlannedArm {
  StudyArm arm;
  ArmState state = ArmState::kNothing;
  int64_t steps = 0, steps_made = 0;  // of training; 0 where there is none
  // Still to come, by the rate of arms that are there; nothing where there is none to tell.
  std::optional<double> training_seconds, evaluation_seconds;
};

// Refuses files of another recipe.
std::vector<PlannedArm> plan_study(const Study& study, const std::vector<StudyArm>& arms);

// Those that are there, in order.
std::vector<ArmResult> read_arms(const Study& study, const std::vector<StudyArm>& arms);

}  // namespace sgf
