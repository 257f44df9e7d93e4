#include "lab/study/study_arms.h"

#include "sgf/core/error.h"
#include "sgf/core/in_quotes.h"

#include <algorithm>

namespace sgf {
namespace {

std::string short_id(const StudyArm& arm) {
  const std::string_view kind = enum_name(arm.kind);
  return arm.is_trained() ? fmt::format("{}-{}{}", kind, arm.pair, arm.is_twice ? "-twice" : "") : std::string(kind);
}

// A kind selects its arms: "sf" those of every pair, "sf-twice" those of twice the steps.
bool is_meant(const StudyArm& arm, const std::string& word) {
  const std::string kind = fmt::format("{}{}", enum_name(arm.kind), arm.is_twice ? "-twice" : "");
  return word == kind || word == short_id(arm) || word == arm.id();
}

std::vector<StudyArm> all_arms(const StudyRecipe& recipe, std::optional<int64_t> seeds) {
  std::vector<StudyArm> arms;
  for (const Granularity granularity : {Granularity::kChunkwise, Granularity::kFramewise}) {
    const StudyGranularity& g = granularity == Granularity::kChunkwise ? recipe.chunkwise : recipe.framewise;
    if (g.seeds == 0) continue;
    for (const ArmKind kind : {ArmKind::kTruth, ArmKind::kTeacher, ArmKind::kInitial})
      arms.push_back({granularity, kind});
    const int64_t pairs = seeds.value_or(g.seeds);
    for (const bool is_twice : {false, true})
      for (int64_t pair = 1; pair <= (is_twice ? std::min(g.twice, pairs) : pairs); ++pair)
        for (const ArmKind kind : {ArmKind::kSf, ArmKind::kSgf}) arms.push_back({granularity, kind, pair, is_twice});
  }
  return arms;
}

void check_words(const std::vector<StudyArm>& arms, const std::vector<std::string>& words) {
  for (const std::string& word : words) {
    const bool is_known = std::ranges::any_of(arms, [&](const StudyArm& arm) { return is_meant(arm, word); });
    std::vector<std::string> ids;
    for (const StudyArm& arm : arms) ids.push_back(arm.id());
    SGF_CHECK(is_known, "no arm {} in this study; use one of {}", in_quotes(word), fmt::join(ids, ", "));
  }
}

bool is_chosen(const StudyArm& arm, const ArmChoice& choice) {
  const bool has_granularity =
      choice.granularities.empty() ||
      std::ranges::find(choice.granularities, enum_name(arm.granularity)) != choice.granularities.end();
  const bool has_word = choice.arms.empty() ||
                        std::ranges::any_of(choice.arms, [&](const std::string& word) { return is_meant(arm, word); });
  return has_granularity && has_word;
}

}  // namespace

std::string StudyArm::id() const { return fmt::format("{}-{}", enum_name(granularity), short_id(*this)); }

std::vector<StudyArm> arms_of(const StudyRecipe& recipe, const ArmChoice& choice) {
  std::vector<StudyArm> arms = all_arms(recipe, choice.seeds);
  check_words(arms, choice.arms);
  std::erase_if(arms, [&](const StudyArm& arm) { return !is_chosen(arm, choice); });
  SGF_CHECK(!arms.empty(), "this study has no arm for --granularity {}{}", fmt::join(choice.granularities, ","),
            choice.arms.empty() ? "" : fmt::format(" --arms {}", fmt::join(choice.arms, ",")));
  return arms;
}

const StudyGranularity& Study::settings(Granularity granularity) const {
  return granularity == Granularity::kChunkwise ? recipe().chunkwise : recipe().framewise;
}

int64_t Study::first_prompt() const {
  return is_selection ? evaluation().first_selection_prompt : evaluation().first_prompt;
}

int64_t Study::prompts(Granularity granularity) const {
  if (is_selection) return evaluation().selection_prompts;
  return settings(granularity).prompts > 0 ? settings(granularity).prompts : evaluation().prompts;
}

bool Study::is_headline(std::string_view metric) const {
  return std::ranges::find(recipe().analysis.headline, metric) != recipe().analysis.headline.end();
}

bool Study::is_horizon(int64_t length) const {
  return std::ranges::find(evaluation().horizons, length) != evaluation().horizons.end();
}

std::vector<int64_t> Study::segments(const StudyArm& arm) const {
  return arm.kind == ArmKind::kTeacher ? std::vector<int64_t>{1} : evaluation().segments;
}

int64_t Study::steps_of(const StudyArm& arm) const { return settings(arm.granularity).steps * (arm.is_twice ? 2 : 1); }

Config Study::config_of(const StudyArm& arm) const {
  const StudyGranularity& g = settings(arm.granularity);
  const std::filesystem::path beside = file.path.parent_path() / g.config;
  std::vector<std::string> set = g.set;
  set.insert(set.end(), overrides.begin(), overrides.end());
  Config config = load_config(std::filesystem::is_regular_file(beside) ? beside : std::filesystem::path(g.config), set,
                              preset_folders);
  config.name = fmt::format("{}-{}", recipe().name, arm.id());
  config.train.stage = StageChoice::kDmd;
  config.train.steps = steps_of(arm);
  config.train.start_from = g.student;
  config.dmd.teacher = g.teacher;
  config.dmd.boundary = arm.kind == ArmKind::kSgf ? GradientBoundary::kOpenContext : GradientBoundary::kFrozenContext;
  config.run.seed = (is_selection ? recipe().selection_seed : recipe().first_seed) + std::max<int64_t>(arm.pair, 1) - 1;
  validate(config);
  SGF_CHECK(!config.data.world.empty(), "{}: a study needs a built-in world: set data.world", g.config);
  return config;
}

void check_sizes(const Study& study) {
  for (const Granularity granularity : {Granularity::kChunkwise, Granularity::kFramewise}) {
    const StudyGranularity& settings = study.settings(granularity);
    if (settings.seeds == 0) continue;
    const Config config = study.config_of({granularity, ArmKind::kInitial});
    const int64_t window = config.context.sink_frames + config.context.fifo_frames;
    for (const int64_t sink : settings.sinks)
      SGF_CHECK(0 <= sink && sink <= window, "{}.sinks: a sink of {} does not fit in the window of {} frames",
                enum_name(granularity), sink, window);
    SGF_CHECK(study.evaluation().window_frames <= config.video.frames,
              "evaluation.window_frames must be at most one training length, which is {} frames, got {}",
              config.video.frames, study.evaluation().window_frames);
  }
}

}  // namespace sgf
