// The result of an arm's evaluation: a JSON file that may come from another machine. Torch-free.
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

// Empty if there is no file. Throws if recipe, prompts or config differ.
std::optional<ArmResult> read_arm(const Study& study, const StudyArm& arm);

// The types in a file, which may be foreign: throws on a part of the wrong type, and on a trained arm without training
// facts.
void check_arm_kinds(const StudyArm& arm, const nlohmann::json& json, const std::filesystem::path& path);

// The parts of a file that identify its study; read_arm checks them.
nlohmann::json arm_header(const Study& study, const StudyArm& arm);

void write_arm(const Study& study, const StudyArm& arm, const nlohmann::json& json);

// Settings that may differ between two equivalent runs: device, batch split and output.
bool is_free_study_key(const std::string& key);

// Whether the arm's stored weights exist. Throws if they belong to another recipe or config.
bool has_weights(const Study& study, const StudyArm& arm);
// In the metadata of stored weights.
constexpr const char* kStudyRecipeKey = "sgf.study_recipe";
constexpr const char* kStudyTrainingKey = "sgf.study_training";  // JSON: facts of their training

// Empty if the weights have no such metadata.
nlohmann::json training_of(const TensorFile& weights);

}  // namespace sgf
