#include "lab/study/study_recipe.h"

#include "lab/study/bootstrap.h"
#include "sgf/config/config.h"
#include "sgf/core/error.h"
#include "sgf/evaluation/segment_metrics.h"
#include "sgf/files/mapped_file.h"
#include "sgf/files/sha256.h"

#include <algorithm>
#include <filesystem>

namespace sgf {
namespace {

constexpr int64_t kLastPrompt = int64_t{1} << 62;
constexpr int64_t kMostStrips = 100;  // rows on a page

bool is_ascending(const std::vector<int64_t>& values) {
  return std::ranges::adjacent_find(values, std::greater_equal<>()) == values.end();
}

void check_granularity(const std::string& name, const StudyGranularity& g, int64_t prompts) {
  SGF_CHECK(0 <= g.seeds && g.seeds <= kMostSeeds, "{}.seeds is the number of pairs and must be at most {}, got {}",
            name, kMostSeeds, g.seeds);
  if (g.seeds == 0) return;
  SGF_CHECK(!g.config.empty() && !g.student.empty() && !g.teacher.empty(),
            "{} needs config, student and teacher; set its seeds to 0 to skip it", name);
  SGF_CHECK(g.steps > 0, "{}.steps must be positive, got {}", name, g.steps);
  SGF_CHECK(0 <= g.twice && g.twice <= g.seeds, "{0}.twice must be between 0 and {0}.seeds, which is {1}, got {2}",
            name, g.seeds, g.twice);
  SGF_CHECK(0 <= g.prompts && g.prompts <= prompts,
            "{}.prompts must be at most evaluation.prompts, which is {}, got {}", name, prompts, g.prompts);
}

void check_at_least(int64_t least, std::initializer_list<std::pair<const char*, int64_t>> values) {
  for (const auto& [key, value] : values)
    SGF_CHECK(value >= least, "evaluation.{} must be at least {}, got {}", key, least, value);
}

void check_counts(const StudyEvaluation& e) {
  check_at_least(1, {{"prompts", e.prompts},
                     {"batch", e.batch},
                     {"window_frames", e.window_frames},
                     {"sink_horizon", e.sink_horizon},
                     {"teacher_steps", e.teacher_steps}});
  check_at_least(0, {{"first_prompt", e.first_prompt},
                     {"selection_prompts", e.selection_prompts},
                     {"first_selection_prompt", e.first_selection_prompt},
                     {"recovery_rollouts", e.recovery_rollouts},
                     {"probe_updates", e.probe_updates},
                     {"strip_prompts", e.strip_prompts}});
  SGF_CHECK(e.strip_prompts <= kMostStrips, "evaluation.strip_prompts must be at most {}, got {}", kMostStrips,
            e.strip_prompts);
}

void check_prompts(const StudyEvaluation& e) {
  for (const int64_t first : {e.first_prompt, e.first_selection_prompt})
    SGF_CHECK(first <= kLastPrompt, "the number of a first prompt must be at most {}, got {}", kLastPrompt, first);
  const bool is_before = e.first_selection_prompt - e.first_prompt >= e.prompts;
  const bool is_after = e.first_prompt - e.first_selection_prompt >= e.selection_prompts;
  SGF_CHECK(is_before || is_after,
            "evaluation and selection prompts must be different: {} from {} and {} from {} overlap", e.prompts,
            e.first_prompt, e.selection_prompts, e.first_selection_prompt);
}

void check_times(const StudyEvaluation& e) {
  SGF_CHECK(!e.segments.empty() && e.segments.front() == 1 && is_ascending(e.segments),
            "evaluation.segments must ascend from 1, the training length itself, got [{}]",
            fmt::join(e.segments, ", "));
  SGF_CHECK(!e.horizons.empty() && e.horizons.front() == 1 && is_ascending(e.horizons),
            "evaluation.horizons must ascend from 1, got [{}]", fmt::join(e.horizons, ", "));
  for (const int64_t horizon : e.horizons)
    SGF_CHECK(std::ranges::find(e.segments, horizon) != e.segments.end(),
              "evaluation.horizons must be a subset of evaluation.segments, got {}, but segments are [{}]", horizon,
              fmt::join(e.segments, ", "));
}

void check_analysis(const StudyAnalysis& a) {
  SGF_CHECK(a.resamples >= 100 && a.confidence > 0.5 && a.confidence < 1,
            "analysis needs at least 100 resamples and a confidence between .5 and 1, got {} and {}", a.resamples,
            a.confidence);
  SGF_CHECK(a.least_difference >= 0, "analysis.least_difference must be at least 0, got {}", a.least_difference);
  SGF_CHECK(!a.headline.empty(), "analysis.headline must name at least one metric");
  for (const std::string& name : a.headline)
    SGF_CHECK(study_metric(name).better != Better::kNeither,
              "analysis.headline: {} has no better direction; choose another metric", name);
}

}  // namespace

void validate(const StudyRecipe& recipe) {
  SGF_CHECK(!recipe.name.empty(), "name must not be empty");
  check_name("name", recipe.name);
  check_granularity("chunkwise", recipe.chunkwise, recipe.evaluation.prompts);
  check_granularity("framewise", recipe.framewise, recipe.evaluation.prompts);
  SGF_CHECK(recipe.chunkwise.seeds + recipe.framewise.seeds > 0,
            "the study has no pairs: set chunkwise.seeds or framewise.seeds");
  check_counts(recipe.evaluation);
  check_prompts(recipe.evaluation);
  check_times(recipe.evaluation);
  check_analysis(recipe.analysis);
}

RecipeFile read_study_recipe(const std::filesystem::path& path) {
  SGF_CHECK(!std::filesystem::is_directory(path), "{}: is a folder; name the study's file in it", path.string());
  SGF_CHECK(std::filesystem::exists(path),
            "{}: no such recipe; expected a YAML file, for example recipes/world-small/study.yaml", path.string());
  const std::string text(MappedFile::open(path)->text());
  RecipeFile read{.path = path, .sha256 = sha256_of(text)};
  read.recipe = read_tree<StudyRecipe>(parse_yaml(text, {.source = path.string(), .line = 1, .column = 1}));
  validate(read.recipe);
  return read;
}

}  // namespace sgf
