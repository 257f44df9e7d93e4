// `sgf recipe run DIR`: the runs of a folder, each after those it takes weights from.
#include "apps/commands.h"
#include "apps/option_values.h"
#include "apps/progress.h"
#include "apps/say.h"
#include "apps/table.h"
#include "apps/threads.h"
#include "apps/version.h"
#include "sgf/assembly/preset_folders.h"
#include "sgf/assembly/recipe_places.h"
#include "sgf/assembly/start_file.h"
#include "sgf/assembly/start_sources.h"
#include "sgf/assembly/train_needs.h"
#include "sgf/core/device.h"
#include "sgf/core/error.h"
#include "sgf/files/weight_identity.h"
#include "sgf/files/writable_folder.h"
#include "sgf/training/planning/recipe_plan.h"
#include "sgf/training/run/run_terms.h"
#include "sgf/training/run/train_run.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <memory>

namespace sgf {
namespace {

constexpr int kRecipeRefused = 1, kRecipeStopped = 3, kRecipeUnsound = 4;

struct RecipeArgs {
  std::string folder;
  std::vector<std::string> overrides;
  ComputeArgs compute;
  bool dry_run = false, quiet = false;
};

bool is_made(const RecipeStep& step) { return steps_made(step.run) >= step.config.train.steps; }

void print_steps(const std::vector<RecipeStep>& steps) {
  Table table({"file", "stage", "run", "updates"});
  for (const RecipeStep& step : steps)
    table.add(
        {step.file.filename().string(), std::string(enum_name(step.config.train.stage)), step.run.string(),
         fmt::format("{} of {}{}", steps_made(step.run), step.config.train.steps, is_made(step) ? ", done" : "")});
  table.print();
}

// Runs that stay done though one before them was made again, or on, since: its weights are others than they began with.
void say_outdated(const std::vector<RecipeStep>& steps) {
  for (const RecipeStep& step : steps) {
    if (!is_made(step)) continue;
    for (const StartSource& source : read_start_sources(step.run / "facts.json")) {
      const bool is_of_recipe = std::ranges::any_of(
          step.after, [&](const std::filesystem::path& run) { return run == source.given && steps_made(run) > 0; });
      if (is_of_recipe && weight_identity(open_tensor_file(find_start_file(source.given).path)) != source.identity)
        warn("{} was trained from an earlier version of {} ({}); remove the run folder to retrain it",
             step.run.string(), source.given, source.key);
    }
  }
}

// Why the step cannot be made, or differs from what was made; empty if it is fine.
std::vector<std::string> objections(const RecipeStep& step, const std::vector<RecipeStep>& all) {
  std::vector<std::string> found = unmet_needs(step.config);
  std::ranges::copy(wrong_teachers(step, all), std::back_inserter(found));
  if (!is_made(step)) std::ranges::copy(missing_beforehand(step), std::back_inserter(found));
  try {
    check_goes_on(step.run, step.config);
  } catch (const Error& error) {
    found.push_back(fmt::format("{}; undo the change, or remove the run to train it again", error.what()));
  }
  try {
    if (!is_made(step)) check_can_be_made(step.run, step.run.string());
    if (!is_made(step)) device_of(step.config.run.device);
  } catch (const Error& error) {
    found.emplace_back(error.what());
  }
  return found;
}

// What is to be done by hand before the step, once the runs before it are there.
std::string pairs_words(const RecipeStep& step) {
  return fmt::format(
      "{} needs the pairs {}: make them with sgf pairs {} --teacher {} --count N, then run the same command again",
      step.file.filename().string(), step.config.data.pairs, step.file.string(), step.after.front().string());
}

// The exit code: that of the run itself where it would be refused. All objections are said, not the first alone.
int print_plan_of(const std::vector<RecipeStep>& steps) {
  print_steps(steps);
  say_outdated(steps);
  int code = 0;
  for (const RecipeStep& step : steps) {
    for (const std::string& objection : objections(step, steps)) {
      warn("{}: {}", step.file.string(), objection);
      code = kRecipeRefused;
    }
    if (!is_made(step) && waits_for_pairs(step)) remark("{}", pairs_words(step));
  }
  return code;
}

// Said for all runs before the first begins: hours later is too late.
void check_needs(const std::vector<RecipeStep>& steps) {
  for (const RecipeStep& step : steps) {
    const std::vector<std::string> found = objections(step, steps);
    SGF_CHECK(found.empty(), "{}: {}", step.file.string(), found.front());
  }
}

TrainResult run_step(const RecipeStep& step, const RecipeArgs& args, const Ranks& ranks) {
  if (ranks.is_first()) say("{}: {} updates into {}", step.file.string(), step.config.train.steps, step.run.string());
  std::fflush(stdout);
  Config config = step.config;
  config.run.threads = threads_of_run(config, args.overrides, /*resume=*/true, step.run, cores_of_rank());
  return run_training({.config = config,
                       .out = step.run,
                       .resume = true,
                       .facts = {{"build", version_text()}, {"config", step.file.string()}, {"set", args.overrides}},
                       .progress = progress_mode(args.quiet),
                       .output = standard_progress_output(),
                       .warn = warn_line},
                      ranks);
}

void leave_recipe(const std::string& message) {
  warn("{}", message);
  std::_Exit(1);
}

RunTerms terms_of(const std::vector<RecipeStep>& steps) {
  RunTerms terms;
  for (const RecipeStep& step : steps)
    std::ranges::copy(config_terms(step.config, step.file.filename().string() + ": "), std::back_inserter(terms));
  return terms;
}

// The exit code.
int make_steps(const std::vector<RecipeStep>& steps, const RecipeArgs& args, const Ranks& ranks) {
  for (const RecipeStep& step : steps) {
    // The first rank decides for all: a folder may be seen later by the others.
    const std::vector<double> first =
        ranks.gather({is_made(step) ? 1.0 : 0.0, waits_for_pairs(step) ? 1.0 : 0.0}).front();
    if (first[0] != 0) continue;
    if (first[1] != 0) {
      if (ranks.is_first()) say("{}", pairs_words(step));
      return kRecipeStopped;
    }
    const TrainResult result = run_step(step, args, ranks);
    if (result.end == TrainEnd::kDone) continue;
    if (ranks.is_first())
      say("{} stopped after update {}: {}; run the same command again to resume", step.run.string(), result.steps_done,
          result.reason);
    return result.end == TrainEnd::kStopped ? kRecipeStopped : kRecipeUnsound;
  }
  if (!ranks.is_first()) return 0;
  print_steps(steps);
  say_outdated(steps);
  return 0;
}

int run_recipe(const RecipeArgs& args) {
  const auto plan = [&] { return plan_recipe(find_recipe(args.folder), args.overrides, preset_folders()); };
  if (args.dry_run) return print_plan_of(plan());
  const Ranks ranks(read_rank_place(), {.on_end = leave_recipe});
  int code = 0;
  ranks.guard([&] {
    const std::vector<RecipeStep> steps = plan();
    check_needs(steps);
    ranks.agree([&] { return terms_of(steps); });
    code = make_steps(steps, args, ranks);
  });
  return code;
}

}  // namespace

void add_recipe(CLI::App& app) {
  CLI::App* recipe = app.add_subcommand("recipe", "Train a chain of runs from a folder of configs");
  recipe->footer("Example:\n  sgf recipe run world-tiny");
  recipe->require_subcommand(1);
  auto args = std::make_shared<RecipeArgs>();
  CLI::App* command =
      recipe->add_subcommand("run", "Train all runs of a folder, each after the runs whose weights it starts from");
  command->footer(
      "Examples:\n"
      "  sgf recipe run world-tiny\n"
      "  sgf recipe run world-small --set run.device=cuda --dry-run\n\n"
      "Runs are written to runs/NAME and refer to each other by that folder (train.start_from: "
      "runs/world-small-teacher). Runs that are complete are skipped: run the same command again to resume after an "
      "interruption. If a run needs pairs that are missing, the runs before it are trained and the sgf pairs command "
      "is printed.\n\n"
      "Exit codes: 0 all runs are complete; 1 failed; 3 stopped, or pairs are needed; 4 a run stopped itself.");
  CLI::Option* folder =
      command->add_option("folder", args->folder, "bundled recipe, or folder of YAML files, one per run");
  folder->type_name("DIR")->required();
  suggest(*folder, recipe_names());
  add_overrides(*command, args->overrides, "run.seed=2", "one key in all configs");
  add_compute(*command, args->compute);
  command->add_flag("--dry-run", args->dry_run, "check everything and print what would be run, without writing a file");
  command->add_flag("--quiet", args->quiet, "no progress line");
  command->callback([args] {
    args->overrides = with_compute(args->overrides, args->compute);
    exit_with(run_recipe(*args));
  });
}

}  // namespace sgf
