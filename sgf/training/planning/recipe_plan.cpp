#include "sgf/training/planning/recipe_plan.h"

#include "sgf/assembly/start_file.h"
#include "sgf/assembly/train_needs.h"
#include "sgf/core/error.h"
#include "sgf/dataset/shard_folder.h"
#include "sgf/runs/run_folder.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <set>

namespace sgf {
namespace {

namespace fs = std::filesystem;

constexpr const char* kStudyFile = "study.yaml";  // for `sgf study`: not the config of a run

std::vector<fs::path> recipe_files(const fs::path& folder) {
  SGF_CHECK(fs::is_directory(folder), "{}: no such folder of recipes", folder.string());
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder))
    if (entry.path().extension() == ".yaml" && entry.path().filename() != kStudyFile) files.push_back(entry.path());
  SGF_CHECK(!files.empty() || !fs::exists(folder / kStudyFile), "{0}: is a study; run sgf study {0}", folder.string());
  SGF_CHECK(!files.empty(), "{}: holds no .yaml file", folder.string());
  std::ranges::sort(files);
  return files;
}

// A folder inside a run also names the run: runs/a/checkpoints/step_00000010.
bool lies_in(const std::string& path, const fs::path& run) {
  if (path.empty()) return false;
  const fs::path relative = fs::path(path).lexically_normal().lexically_relative(run.lexically_normal());
  return !relative.empty() && *relative.begin() != "..";
}

// The runs of this recipe whose weights the step reads.
std::vector<fs::path> runs_named_by(const RecipeStep& step, const std::vector<RecipeStep>& all) {
  const Config& c = step.config;
  std::vector<std::string> named{c.train.start_from};
  if (c.train.stage == StageChoice::kDmd) named.insert(named.end(), {c.dmd.teacher, c.dmd.critic});
  if (c.train.stage == StageChoice::kCausalCd) named.push_back(c.distil.teacher);
  std::vector<fs::path> runs;
  for (const RecipeStep& other : all)
    if (std::ranges::any_of(named, [&](const std::string& path) { return lies_in(path, other.run); }))
      runs.push_back(other.run);
  return runs;
}

std::vector<RecipeStep> in_order(std::vector<RecipeStep> waiting) {
  std::vector<RecipeStep> order;
  std::set<fs::path> planned;
  while (!waiting.empty()) {
    const auto next = std::ranges::find_if(waiting, [&](const RecipeStep& step) {
      return std::ranges::all_of(step.after, [&](const fs::path& run) { return planned.contains(run); });
    });
    std::vector<std::string> files;
    for (const RecipeStep& step : waiting) files.push_back(step.file.filename().string());
    SGF_CHECK(next != waiting.end(), "these configs need each other's weights: {}; remove the cycle",
              fmt::join(files, ", "));
    planned.insert(next->run);
    order.push_back(std::move(*next));
    waiting.erase(next);
  }
  return order;
}

}  // namespace

std::vector<RecipeStep> plan_recipe(const fs::path& folder, const std::vector<std::string>& overrides,
                                    const std::vector<fs::path>& preset_folders) {
  std::vector<RecipeStep> steps;
  for (const fs::path& file : recipe_files(folder)) {
    LoadedConfig loaded = load_config_with_notes(file, overrides, preset_folders);
    SGF_CHECK(loaded.not_for_training.empty(), "{}", loaded.not_for_training);
    RecipeStep step{.file = file, .config = std::move(loaded.config)};
    step.run = fs::path("runs") / step.config.name;
    const auto same = std::ranges::find(steps, step.run, &RecipeStep::run);
    SGF_CHECK(same == steps.end(), "{} and {} both make {}: give each its own name", same->file.string(), file.string(),
              step.run.string());
    steps.push_back(std::move(step));
  }
  for (RecipeStep& step : steps) step.after = runs_named_by(step, steps);
  return in_order(std::move(steps));
}

bool waits_for_pairs(const RecipeStep& step) {
  const Config& c = step.config;
  const bool are_missing =
      reads_pairs(c.train.stage) && !c.data.pairs.empty() && !fs::exists(manifest_file(c.data.pairs));
  return are_missing && !step.after.empty();
}

std::vector<std::string> wrong_teachers(const RecipeStep& step, const std::vector<RecipeStep>& all) {
  const Config& c = step.config;
  const bool is_dmd = c.train.stage == StageChoice::kDmd;
  if (!is_dmd && c.train.stage != StageChoice::kCausalCd) return {};
  const fs::path teacher = is_dmd ? c.dmd.teacher : c.distil.teacher;
  const StageChoice needed = stage_of_teacher(c.train.stage);
  for (const RecipeStep& other : all)
    if (teacher.lexically_normal() == other.run.lexically_normal() && other.config.train.stage != needed)
      return {fmt::format("{} {}: will be a run of {}, expected a run of {}", is_dmd ? "dmd.teacher" : "distil.teacher",
                          teacher.string(), enum_name(other.config.train.stage), enum_name(needed))};
  return {};
}

std::vector<std::string> missing_beforehand(const RecipeStep& step) {
  Config c = step.config;
  if (waits_for_pairs(step)) c.data.pairs.clear();
  for (std::string* path : {&c.train.start_from, &c.dmd.teacher, &c.dmd.critic, &c.distil.teacher})
    if (std::ranges::any_of(step.after, [&](const fs::path& run) { return lies_in(*path, run); })) path->clear();
  return missing_files(c);
}

int64_t steps_made(const fs::path& run) { return is_run_folder(run) ? newest_sound_step(run).value_or(0) : 0; }

}  // namespace sgf
