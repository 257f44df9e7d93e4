// The progress of a study and its remaining cost. Torch-free.
#pragma once

#include "lab/study/arm_file.h"

#include <optional>
#include <vector>

namespace sgf {

enum class ArmState { kNothing, kBegun, kTrained, kEvaluated };

struct PlannedArm {
  StudyArm arm;
  ArmState state = ArmState::kNothing;
  int64_t steps = 0, steps_made = 0;  // of training; 0 without training
  // Remaining time, from the rate of finished arms; empty if there are none.
  std::optional<double> training_seconds, evaluation_seconds;
};

// Throws on files of another recipe.
std::vector<PlannedArm> plan_study(const Study& study, const std::vector<StudyArm>& arms);

// The existing results, in order.
std::vector<ArmResult> read_arms(const Study& study, const std::vector<StudyArm>& arms);

}  // namespace sgf
