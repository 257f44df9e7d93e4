// What the evaluation of an arm left: a JSON file that may have been made on another machine. Torch-free.
#pragma once

#include "sgf/evaluation/study/study_arms.h"
#include "sgf/evaluation/study/study_metrics.h"

#include <nlohmann/json.hpp>

#include <map>
#include <optional>

namespace sgf {

constexpr int64_t kArmFormat = 1;

struct ArmResult {
  StudyArm arm;
  nlohmann::json json;  // the whole file
  ScoreTable scores;
  std::map<int64_t, ScoreTable> sinks;  // by sink frames; one segment each
};

// Nothing where there is no file. Refuses one of another recipe, other prompts or another config, and says so.
std::optional<ArmResult> read_arm(const Study& study, const StudyArm& arm);

// The parts of a file that say what it belongs to: read_arm asks them again.
nlohmann::json arm_header(const Study& study, const StudyArm& arm);

void write_arm(const Study& study, const StudyArm& arm, const nlohmann::json& json);

// Whether the arm's kept weights are there; refuses those of another recipe.
bool has_weights(const Study& study, const StudyArm& arm);
constexpr const char* kStudyRecipeKey = "sgf.study_recipe";  // in the metadata of kept weights

}  // namespace sgf
