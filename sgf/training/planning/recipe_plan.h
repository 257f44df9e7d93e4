// A folder of configs that build on each other: what is to be run, in which order, and what is done. Torch-free.
#pragma once

#include "sgf/config/config.h"

#include <filesystem>
#include <string>
#include <vector>

namespace sgf {

struct RecipeStep {
  std::filesystem::path file;
  Config config;
  std::filesystem::path run;                 // runs/NAME, as sgf train has it
  std::vector<std::filesystem::path> after;  // runs of this recipe that it takes weights from
};

// The folder's *.yaml but study.yaml, each after those whose runs its settings name; of several that could come next
// the first by name. Two runs of one name, and runs that wait for each other, are refused.
std::vector<RecipeStep> plan_recipe(const std::filesystem::path& folder, const std::vector<std::string>& overrides,
                                    const std::vector<std::filesystem::path>& preset_folders);

// Whether its pairs are not there and could not be: the teacher they are made with may be a run of this recipe.
bool waits_for_pairs(const RecipeStep& step);

// Teachers of another stage than the step's takes, among the recipe's own runs.
std::vector<std::string> wrong_teachers(const RecipeStep& step, const std::vector<RecipeStep>& all);

// Files and folders that the step needs and that neither are there nor are made by the runs before it, or of them.
std::vector<std::string> missing_beforehand(const RecipeStep& step);

// Steps that the run's newest sound checkpoint has made; 0 where there is none.
int64_t steps_made(const std::filesystem::path& run);

}  // namespace sgf
