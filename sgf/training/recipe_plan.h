// A folder of configs that build on each other: what is to be run, in which order, and what is done. Torch-free.
#pragma once

#include "sgf/core/config.h"

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

// Files and folders that the step needs and that neither are there nor are made by the runs before it.
std::vector<std::string> missing_beforehand(const RecipeStep& step);

// Steps that the run's newest checkpoint has made; 0 where there is none.
int64_t steps_made(const std::filesystem::path& run);

}  // namespace sgf
