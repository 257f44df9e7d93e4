// What the evaluation of an arm left: a JSON file that may have been made on another machine. Torch-free.
#pragma once

#include "lab/study/study_arms.h"
#include "sgf/evaluation/segment_metrics.h"
#include "sgf/files/tensor_file.h"

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

// What may differ between two runs that count as one: where and in what portions they were computed, what they left.
bool is_free_study_key(const std::string& key);

// Whether the arm's kept weights are there; refuses those of another recipe, or trained with another config.
bool has_weights(const Study& study, const StudyArm& arm);
// In the metadata of kept weights.
constexpr const char* kStudyRecipeKey = "sgf.study_recipe";
constexpr const char* kStudyTrainingKey = "sgf.study_training";  // JSON: what they tell of their training

// Empty where the weights tell nothing.
nlohmann::json training_of(const TensorFile& weights);

}  // namespace sgf
