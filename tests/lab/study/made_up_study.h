// A study of made-up numbers: a recipe on the smallest world, and arms whose scores a test chooses.
#pragma once

#include "lab/study/arm_file.h"
#include "tests/core/temporary_folder.h"
#include "tests/training/file_text.h"

#include <functional>

namespace sgf::testing {

inline constexpr const char* kMadeUpRecipe = R"(
name: made-up
first_seed: 5
chunkwise: {config: world-tiny, student: s.safetensors, teacher: t.safetensors, steps: 10, seeds: 2, sinks: [0, 3]}
evaluation:
  prompts: 40
  segments: [1, 3, 12]
  horizons: [1, 12]
analysis: {resamples: 500, headline: [valid, identity_error]}
)";

// The same, with the first pair trained for twice the steps too.
inline std::string made_up_recipe_with_twice() {
  std::string recipe = kMadeUpRecipe;
  return recipe.replace(recipe.find("seeds: 2"), 8, "seeds: 2, twice: 1");
}

inline Study made_up_study(const TemporaryFolder& folder, const std::string& recipe = kMadeUpRecipe) {
  write_text(folder / "study.yaml", recipe);
  return {.file = read_study_recipe(folder / "study.yaml"), .folder = folder.path(), .preset_folders = {SGF_PRESETS}};
}

// A metric's value by segment and prompt.
using MadeUpScore = std::function<double(std::string_view metric, size_t segment, size_t prompt)>;

inline ScoreTable made_up_scores(size_t segments, size_t prompts, const MadeUpScore& score) {
  ScoreTable table;
  for (const StudyMetric& metric : study_metrics())
    for (size_t s = 0; s < segments; ++s) {
      PromptValues& values = table[std::string(metric.name)].emplace_back();
      for (size_t p = 0; p < prompts; ++p) values.push_back(score(metric.name, s, p));
    }
  return table;
}

// Scatter between prompts that all arms share: what pairing takes away.
inline double shared_scatter(size_t prompt) { return 0.3 * static_cast<double>(prompt * 7 % 11) / 11; }

inline ArmResult write_made_up_arm(const Study& study, const StudyArm& arm, const MadeUpScore& score) {
  nlohmann::json json = arm_header(study, arm);
  json["scores"] =
      to_json(made_up_scores(study.segments(arm).size(), static_cast<size_t>(study.prompts(arm.granularity)), score));
  json["training"] = {{"steps", 10},         {"seconds", 20},         {"config", json["config"]},
                      {"exits_sha256", "e"}, {"student_sha256", "s"}, {"teacher_sha256", "t"}};
  json["seconds"] = 7;
  write_arm(study, arm, json);
  return *read_arm(study, arm);
}

// A whole study: SGF is `gain` better than SF on valid frames, and in every other metric by as much lower.
inline std::vector<ArmResult> write_made_up_arms(const Study& study, double gain, double forgetting = 0.1) {
  std::vector<ArmResult> results;
  for (const StudyArm& arm : arms_of(study.recipe(), {}))
    results.push_back(write_made_up_arm(study, arm, [&](std::string_view metric, size_t segment, size_t prompt) {
      const bool is_more = study_metric(metric).better == Better::kMore;
      double value =
          0.4 + shared_scatter(prompt) + 0.01 * static_cast<double>(prompt % 3 == static_cast<size_t>(arm.pair % 3));
      if (arm.kind == ArmKind::kInitial && !is_more) value += forgetting * static_cast<double>(segment);
      if (arm.kind == ArmKind::kSgf) value += is_more ? gain : -gain;
      return value;
    }));
  return results;
}

}  // namespace sgf::testing
