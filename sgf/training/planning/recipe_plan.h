// A folder of configs that build on each other: the runs, their order, and their progress. Torch-free.
#pragma once

#include "sgf/config/config.h"

#include <filesystem>
#include <string>
#include <vector>

namespace sgf {

struct RecipeStep {
  std::filesystem::path file;
  Config config;
  std::filesystem::path run;                 // runs/NAME, as in sgf train
  std::vector<std::filesystem::path> after;  // runs of this recipe whose weights it loads
};

// The folder's *.yaml except study.yaml, each after the runs that its settings name, otherwise sorted by name. Throws
// on two runs with one name and on cycles.
std::vector<RecipeStep> plan_recipe(const std::filesystem::path& folder, const std::vector<std::string>& overrides,
                                    const std::vector<std::filesystem::path>& preset_folders);

// Whether its pairs are missing and can be made later: their teacher may be a run of this recipe.
bool waits_for_pairs(const RecipeStep& step);

// Errors for teachers of a wrong stage among the recipe's own runs.
std::vector<std::string> wrong_teachers(const RecipeStep& step, const std::vector<RecipeStep>& all);

// Files and folders that the step needs, that do not exist, and that earlier runs do not make.
std::vector<std::string> missing_beforehand(const RecipeStep& step);

// The step of the run's newest intact checkpoint; 0 if there is none.
int64_t steps_made(const std::filesystem::path& run);

}  // namespace sgf
