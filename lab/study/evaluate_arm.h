// One arm of a study, streamed and measured: everything that its JSON file holds.
#pragma once

#include "lab/study/study_arms.h"

#include <c10/core/Device.h>
#include <nlohmann/json_fwd.hpp>

#include <exception>
#include <functional>
#include <string>

namespace sgf {

struct ArmEvaluation {
  const Study& study;
  StudyArm arm;
  c10::Device device = c10::Device("cpu");
  int64_t threads = 1;  // that measure
  std::string build;
  std::function<void(const std::string&)> say;  // lines of progress
  std::function<bool()> should_stop = {};       // asked after every block
};

// Thrown where it should stop: of an arm that was not measured to the end nothing is kept.
struct ArmStopped : std::exception {};

// Of the arm's kept weights, the recipe's student or teacher, or the world itself. The gradient probe needs the run's
// last checkpoint, with its critic: without it the file says that it was left out.
nlohmann::json evaluate_arm(const ArmEvaluation& evaluation);

}  // namespace sgf
