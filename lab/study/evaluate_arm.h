// Streams and measures one arm of a study, and writes its JSON file.
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
  int64_t threads = 1;  // for measuring
  std::string build;
  std::function<void(const std::string&)> say;  // lines of progress
  std::function<bool()> should_stop = {};       // called after every block
};

// Thrown on a request to stop: an arm that was not measured completely is discarded.
struct ArmStopped : std::exception {};

// Evaluates the arm's stored weights, the recipe's student or teacher, or the world itself. The gradient probe needs
// the run's last checkpoint with its critic; without it, the file notes that the probe was skipped.
nlohmann::json evaluate_arm(const ArmEvaluation& evaluation);

}  // namespace sgf
