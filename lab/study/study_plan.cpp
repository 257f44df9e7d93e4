#include "lab/study/study_plan.h"

#include "sgf/training/planning/recipe_plan.h"

namespace sgf {
namespace {

struct MeanSeconds {
  double sum = 0, count = 0;

  void add(double seconds) { sum += seconds, count += 1; }
  std::optional<double> value() const { return count > 0 ? std::optional(sum / count) : std::nullopt; }
};

// Training time is equal for arms of one granularity; evaluation time for those of the same kind and extras.
bool is_alike(const StudyArm& a, const StudyArm& b) {
  return a.granularity == b.granularity && a.is_trained() == b.is_trained() && a.has_extras() == b.has_extras() &&
         a.is_twice == b.is_twice && (a.is_trained() || a.kind == b.kind);
}

std::optional<double> seconds_a_step(const std::vector<ArmResult>& results, Granularity granularity) {
  MeanSeconds mean;
  for (const ArmResult& result : results) {
    const nlohmann::json training = result.json.value("training", nlohmann::json::object());
    if (result.arm.granularity != granularity || !training.contains("seconds")) continue;
    mean.add(training.value("seconds", 0.0) / training.value("steps", 1.0));
  }
  return mean.value();
}

std::optional<double> evaluation_time(const std::vector<ArmResult>& results, const StudyArm& arm) {
  MeanSeconds mean;
  for (const ArmResult& result : results)
    if (is_alike(result.arm, arm)) mean.add(result.json.value("seconds", 0.0));
  return mean.value();
}

PlannedArm plan_arm(const Study& study, const StudyArm& arm, const std::vector<ArmResult>& results) {
  PlannedArm planned{.arm = arm, .training_seconds = 0, .evaluation_seconds = 0};
  if (arm.is_trained()) planned.steps = study.steps_of(arm);
  for (const ArmResult& result : results)
    if (result.arm == arm) planned.state = ArmState::kEvaluated;
  if (planned.state == ArmState::kEvaluated) {
    planned.steps_made = planned.steps;
    return planned;
  }
  planned.evaluation_seconds = evaluation_time(results, arm);
  if (!arm.is_trained()) return planned;
  const bool is_done = has_weights(study, arm);
  planned.steps_made = is_done ? planned.steps : steps_made(study.run_of(arm));
  planned.state = is_done ? ArmState::kTrained : planned.steps_made > 0 ? ArmState::kBegun : ArmState::kNothing;
  const std::optional<double> rate = seconds_a_step(results, arm.granularity);
  planned.training_seconds = is_done ? std::optional(0.0)
                             : rate  ? std::optional(*rate * static_cast<double>(planned.steps - planned.steps_made))
                                     : std::nullopt;
  return planned;
}

}  // namespace

std::vector<ArmResult> read_arms(const Study& study, const std::vector<StudyArm>& arms) {
  std::vector<ArmResult> results;
  for (const StudyArm& arm : arms)
    if (std::optional<ArmResult> result = read_arm(study, arm)) results.push_back(std::move(*result));
  return results;
}

std::vector<PlannedArm> plan_study(const Study& study, const std::vector<StudyArm>& arms) {
  const std::vector<ArmResult> results = read_arms(study, arms);
  std::vector<PlannedArm> plan;
  for (const StudyArm& arm : arms) plan.push_back(plan_arm(study, arm, results));
  return plan;
}

}  // namespace sgf
