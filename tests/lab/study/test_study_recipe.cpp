// A study's recipe and arms: what is refused, what a pair shares, and which files count as done.
#include "lab/study/study_plan.h"
#include "sgf/runs/run_folder.h"
#include "tests/core/refusal.h"
#include "tests/lab/study/made_up_study.h"

#include <gtest/gtest.h>

namespace sgf {
namespace {

using ::testing::HasSubstr;
using testing::kMadeUpRecipe;
using testing::made_up_study;
using testing::TemporaryFolder;
using testing::write_made_up_arm;

std::string refused_recipe(const std::string& from, const std::string& to) {
  const TemporaryFolder folder;
  std::string recipe = kMadeUpRecipe;
  recipe.replace(recipe.find(from), from.size(), to);
  return refusal_of([&] { made_up_study(folder, recipe); });
}

TEST(StudyRecipe, IsRefusedWhereItCannotBeFollowed) {
  EXPECT_THAT(refused_recipe("steps: 10", "step: 10"), HasSubstr("did you mean chunkwise.steps"));
  EXPECT_THAT(refused_recipe("seeds: 2", "seeds: 0"), HasSubstr("no pairs"));
  EXPECT_THAT(refused_recipe("seeds: 2", "seeds: 2, twice: 3"), HasSubstr("chunkwise.twice must be between 0 and"));
  EXPECT_THAT(refused_recipe("seeds: 2", "seeds: 2, prompts: 41"),
              HasSubstr("evaluation.prompts, which is 40, got 41"));
  EXPECT_THAT(refused_recipe("student: s.safetensors, ", ""), HasSubstr("chunkwise needs config, student and teacher"));
  EXPECT_THAT(refused_recipe("horizons: [1, 12]", "horizons: [1, 24]"),
              HasSubstr("must be a subset of evaluation.segments"));
  EXPECT_THAT(refused_recipe("segments: [1, 3, 12]", "segments: [3, 12]"), HasSubstr("ascend from 1"));
  EXPECT_THAT(refused_recipe("[valid, identity_error]", "[beauty]"), HasSubstr("unknown metric 'beauty'"));
  EXPECT_THAT(refused_recipe("[valid, identity_error]", "[sharpness]"), HasSubstr("has no better direction"));
  EXPECT_THAT(refused_recipe("prompts: 40", "prompts: 40\n  first_prompt: 0\n  first_selection_prompt: 39"),
              HasSubstr("overlap"));
  EXPECT_THAT(refused_recipe("seeds: 2", "seeds: 65"), HasSubstr("at most 64, got 65"));
  EXPECT_THAT(refused_recipe("seeds: 2, sinks: [0, 3]}", "seeds: 9223372036854775807}\nframewise: {seeds: 1}"),
              HasSubstr("chunkwise.seeds is the number of pairs"));
  for (const std::string key : {"first_prompt", "recovery_rollouts", "probe_updates", "strip_prompts"})
    EXPECT_THAT(refused_recipe("prompts: 40", fmt::format("prompts: 40\n  {}: -1", key)),
                HasSubstr(fmt::format("evaluation.{} must be at least 0, got -1", key)));
  EXPECT_THAT(refused_recipe("prompts: 40", "prompts: 40\n  strip_prompts: 101"), HasSubstr("at most 100, got 101"));
  EXPECT_THAT(refused_recipe("prompts: 40", "prompts: 40\n  first_prompt: 9223372036854775807"),
              HasSubstr("the number of a first prompt must be at most"));
  const TemporaryFolder folder;
  EXPECT_THAT(refusal_of([&] { read_study_recipe(folder.path()); }), HasSubstr("is a folder"));
}

TEST(StudyRecipe, IsKnownByTheHashOfItsBytes) {
  const TemporaryFolder folder;
  const std::string once = made_up_study(folder).file.sha256;
  EXPECT_EQ(made_up_study(folder).file.sha256, once);
  EXPECT_NE(made_up_study(folder, std::string(kMadeUpRecipe) + "# a remark\n").file.sha256, once);
}

TEST(StudyScores, NumbersThatAreAllButZeroAreWritten) {
  const nlohmann::json json = to_json(ScoreTable{{"valid", {{1e-310, 0.1234567, std::nullopt}}}});
  EXPECT_NEAR(json["valid"][0][0].get<double>(), 1e-310, 1e-315);
  EXPECT_EQ(json["valid"][0][1], 0.123457);
  EXPECT_TRUE(json["valid"][0][2].is_null());
}

TEST(StudyRecipe, OfTheRepositoryCanBeFollowed) {
  const std::filesystem::path source = SGF_SOURCE_DIR;
  const Study study{.file = read_study_recipe(source / "recipes/world-small/study.yaml"),
                    .preset_folders = {SGF_PRESETS}};
  EXPECT_GE(study.recipe().chunkwise.seeds, 5);
  EXPECT_GE(study.recipe().framewise.seeds, 2);
  for (const Granularity granularity : {Granularity::kChunkwise, Granularity::kFramewise})
    EXPECT_GE(study.prompts(granularity), 128);
  EXPECT_EQ(study.config_of({Granularity::kChunkwise, ArmKind::kSf, 1}).context.block_frames, 3);
  EXPECT_EQ(study.config_of({Granularity::kFramewise, ArmKind::kSgf, 1}).context.block_frames, 1);
}

// Five pairs for twice the steps: nothing else may differ from the pair that suggested them, and no draw may be used
// again.
TEST(StudyRecipe, TheLongerOneTrainsTwiceAsLongOnOtherSeedsAndPrompts) {
  const std::filesystem::path recipes = std::filesystem::path(SGF_SOURCE_DIR) / "recipes";
  const auto study_of = [&](const char* folder) {
    return Study{.file = read_study_recipe(recipes / folder / "study.yaml"), .preset_folders = {SGF_PRESETS}};
  };
  const Study usual = study_of("world-small"), longer = study_of("world-small-longer");
  const StudyArm arm{Granularity::kChunkwise, ArmKind::kSf, 1}, twice{Granularity::kChunkwise, ArmKind::kSf, 1, true};
  Config config = longer.config_of(arm);
  const Config before = usual.config_of(twice);
  EXPECT_GE(config.run.seed, before.run.seed + usual.recipe().chunkwise.seeds);
  EXPECT_GE(longer.first_prompt(), usual.first_prompt() + usual.evaluation().prompts);
  config.run.seed = before.run.seed;
  config.name = before.name;
  EXPECT_EQ(config, before);
}

TEST(StudyRecipe, AGranularityMayTakeTheFirstPromptsAlone) {
  const TemporaryFolder folder;
  std::string recipe = kMadeUpRecipe;
  recipe.replace(recipe.find("seeds: 2"), 8, "seeds: 2, prompts: 30");
  Study study = made_up_study(folder, recipe);
  EXPECT_EQ(study.prompts(Granularity::kChunkwise), 30);
  EXPECT_EQ(study.prompts(Granularity::kFramewise), 40);
  study.is_selection = true;
  EXPECT_EQ(study.prompts(Granularity::kChunkwise), study.evaluation().selection_prompts);
}

TEST(StudyRecipe, SinksAndWindowsThatDoNotFitAreRefusedBeforeTheWork) {
  const auto refused = [](const std::string& before, const std::string& after) {
    const TemporaryFolder folder;
    std::string recipe = kMadeUpRecipe;
    recipe.replace(recipe.find(before), before.size(), after);
    const Study study = made_up_study(folder, recipe);
    return refusal_of([&] { check_sizes(study); });
  };
  EXPECT_THAT(refused("sinks: [0, 3]", "sinks: [0, 100]"), HasSubstr("chunkwise.sinks: a sink of 100 does not fit"));
  EXPECT_THAT(refused("prompts: 40", "prompts: 40\n  window_frames: 100"), HasSubstr("which is 21 frames, got 100"));
  const TemporaryFolder folder;
  EXPECT_NO_THROW(check_sizes(made_up_study(folder)));
}

TEST(StudyArms, OfAPairDifferInTheBoundaryAndTheirNamesAlone) {
  const TemporaryFolder folder;
  const Study study = made_up_study(folder);
  const auto keys = [&](const StudyArm& a, const StudyArm& b) {
    std::vector<std::string> names;
    for (const ConfigDifference& d : compare_configs(to_yaml(study.config_of(a)), to_yaml(study.config_of(b))))
      names.push_back(d.key);
    return names;
  };
  const StudyArm sf{Granularity::kChunkwise, ArmKind::kSf, 2}, sgf{Granularity::kChunkwise, ArmKind::kSgf, 2};
  EXPECT_THAT(keys(sf, sgf), ::testing::UnorderedElementsAre("name", "dmd.boundary"));
  EXPECT_THAT(keys(sf, {Granularity::kChunkwise, ArmKind::kSf, 1}),
              ::testing::UnorderedElementsAre("name", "run.seed"));
  EXPECT_EQ(study.config_of(sf).run.seed, 6);
}

TEST(StudyArms, AreChosenByKindPairOrName) {
  const TemporaryFolder folder;
  const StudyRecipe recipe = made_up_study(folder).recipe();
  const auto ids = [&](const ArmChoice& choice) {
    std::vector<std::string> names;
    for (const StudyArm& arm : arms_of(recipe, choice)) names.push_back(arm.id());
    return names;
  };
  EXPECT_EQ(ids({}).size(), 3u + 4u);
  EXPECT_EQ(ids({.seeds = 5}).size(), 3u + 10u);
  EXPECT_EQ(ids({.arms = {"sgf", "truth"}}),
            (std::vector<std::string>{"chunkwise-truth", "chunkwise-sgf-1", "chunkwise-sgf-2"}));
  EXPECT_EQ(ids({.arms = {"sf-2"}}), std::vector<std::string>{"chunkwise-sf-2"});
  EXPECT_THAT(refusal_of([&] { ids({.granularities = {"framewise"}, .arms = {"sf"}}); }),
              HasSubstr("no arm for --granularity framewise --arms sf"));
  EXPECT_THAT(refusal_of([&] { ids({.arms = {"sgf-3"}}); }), HasSubstr("no arm 'sgf-3'"));
}

TEST(StudyArms, OfTwiceTheStepsAreTheFirstPairsOnceMore) {
  const TemporaryFolder folder;
  const Study study = made_up_study(folder, testing::made_up_recipe_with_twice());
  const auto ids = [&](const ArmChoice& choice) {
    std::vector<std::string> names;
    for (const StudyArm& arm : arms_of(study.recipe(), choice)) names.push_back(arm.id());
    return names;
  };
  const std::vector<std::string> twice{"chunkwise-sf-1-twice", "chunkwise-sgf-1-twice"};
  EXPECT_EQ(ids({}).size(), 3u + 4u + 2u);
  EXPECT_EQ(ids({.seeds = 1}).size(), 3u + 2u + 2u);
  EXPECT_EQ(ids({.arms = {"sf-twice", "sgf-1-twice"}}), twice);
  EXPECT_EQ(ids({.arms = {"sf"}}), (std::vector<std::string>{"chunkwise-sf-1", "chunkwise-sf-2"}));
  EXPECT_EQ(ids({.arms = {"sf-1"}}), std::vector<std::string>{"chunkwise-sf-1"});
  const StudyArm usual{Granularity::kChunkwise, ArmKind::kSf, 1},
      longer{Granularity::kChunkwise, ArmKind::kSf, 1, true};
  std::vector<std::string> keys;
  for (const ConfigDifference& d : compare_configs(to_yaml(study.config_of(usual)), to_yaml(study.config_of(longer))))
    keys.push_back(d.key);
  EXPECT_THAT(keys, ::testing::UnorderedElementsAre("name", "train.steps"));
  EXPECT_EQ(study.config_of(longer).train.steps, 20);
  EXPECT_EQ(study.segments(longer), study.segments(usual));
  EXPECT_TRUE(usual.has_extras());
  EXPECT_FALSE(longer.has_extras());
}

TEST(StudyPlan, RatesTwiceTheStepsByTheUsualOnes) {
  const TemporaryFolder folder;
  const Study study = made_up_study(folder, testing::made_up_recipe_with_twice());
  write_made_up_arm(study, {Granularity::kChunkwise, ArmKind::kSf, 2}, [](auto...) { return 0.5; });
  const PlannedArm last = plan_study(study, arms_of(study.recipe(), {})).back();
  EXPECT_EQ(last.arm.id(), "chunkwise-sgf-1-twice");
  EXPECT_EQ(last.steps, 20);
  EXPECT_EQ(last.training_seconds, 40);              // 10 steps took 20 s
  EXPECT_EQ(last.evaluation_seconds, std::nullopt);  // of one length: another price
}

TEST(StudyPlan, TakesWhatIsThereAndRatesWhatIsLeft) {
  const TemporaryFolder folder;
  const Study study = made_up_study(folder);
  const std::vector<StudyArm> arms = arms_of(study.recipe(), {});
  for (const PlannedArm& planned : plan_study(study, arms)) EXPECT_EQ(planned.state, ArmState::kNothing);
  EXPECT_EQ(plan_study(study, arms).back().training_seconds, std::nullopt);
  write_made_up_arm(study, {Granularity::kChunkwise, ArmKind::kSf, 2}, [](auto...) { return 0.5; });
  const std::vector<PlannedArm> plan = plan_study(study, arms);
  EXPECT_EQ(plan[5].state, ArmState::kEvaluated);
  EXPECT_EQ(plan[5].training_seconds, 0);
  EXPECT_EQ(plan[6].state, ArmState::kNothing);
  EXPECT_EQ(plan[6].training_seconds, 20);
  EXPECT_EQ(plan[6].evaluation_seconds, 7);
  EXPECT_EQ(plan[3].evaluation_seconds, std::nullopt);  // the first pair has extras: another price
}

TEST(ArmFile, IsRefusedWhereItBelongsToSomethingElse) {
  const TemporaryFolder folder;
  const Study study = made_up_study(folder);
  const StudyArm arm{Granularity::kChunkwise, ArmKind::kSgf, 1};
  write_made_up_arm(study, arm, [](auto...) { return 0.5; });
  EXPECT_TRUE(read_arm(study, arm).has_value());
  EXPECT_FALSE(read_arm(study, {Granularity::kChunkwise, ArmKind::kSgf, 2}).has_value());
  const Study other = made_up_study(folder, std::string(kMadeUpRecipe) + "# other\n");
  EXPECT_THAT(refusal_of([&] { read_arm(other, arm); }), HasSubstr("belongs to another recipe"));
  Study selection = study;
  selection.is_selection = true;
  EXPECT_THAT(refusal_of([&] { read_arm(selection, arm); }), HasSubstr("its prompts is"));
  std::filesystem::copy_file(study.scores_of(arm), folder / "chunkwise-sf-1.json");
  EXPECT_THAT(refusal_of([&] {
                read_arm(study, {Granularity::kChunkwise, ArmKind::kSf, 1});
              }),
              HasSubstr("its arm is \"chunkwise-sgf-1\""));
}

TEST(ArmFile, IsRefusedWhereTheConfigHasChangedSince) {
  const TemporaryFolder folder;
  const Study study = made_up_study(folder);
  const StudyArm arm{Granularity::kChunkwise, ArmKind::kSgf, 1};
  nlohmann::json json = write_made_up_arm(study, arm, [](auto...) { return 0.5; }).json;
  Config config = study.config_of(arm);
  config.run.threads = 3;  // where it was computed is no part of it
  json["config"] = to_yaml(config);
  write_arm(study, arm, json);
  EXPECT_TRUE(read_arm(study, arm).has_value());
  config.optimiser.learning_rate *= 2;
  json["config"] = to_yaml(config);
  write_arm(study, arm, json);
  EXPECT_THAT(refusal_of([&] { read_arm(study, arm); }), HasSubstr("was made with optimiser.learning_rate"));
}

TEST(ArmFile, OfDamagedScoresIsRefused) {
  const TemporaryFolder folder;
  const Study study = made_up_study(folder);
  const StudyArm arm{Granularity::kChunkwise, ArmKind::kTruth};
  nlohmann::json json = write_made_up_arm(study, arm, [](auto...) { return 0.5; }).json;
  json["scores"]["valid"][1].push_back(1);
  write_arm(study, arm, json);
  EXPECT_THAT(refusal_of([&] { read_arm(study, arm); }), HasSubstr("one value for each of 40 prompts"));
  json = write_made_up_arm(study, arm, [](auto...) { return 0.5; }).json;
  json["training"] = "much";
  write_arm(study, arm, json);
  EXPECT_THAT(refusal_of([&] { read_arm(study, arm); }), HasSubstr("its training is a string, expected an object"));
  json = write_made_up_arm(study, arm, [](auto...) { return 0.5; }).json;
  json["sinks"] = {1};
  write_arm(study, arm, json);
  EXPECT_THAT(refusal_of([&] { read_arm(study, arm); }), HasSubstr("its row of sinks is a number, expected an object"));
  testing::write_text(study.scores_of(arm), "{\"arm\":");
  EXPECT_THAT(refusal_of([&] { read_arm(study, arm); }), HasSubstr("not a complete JSON object"));
}

// Two that tell nothing would agree in it.
TEST(ArmFile, OfATrainedArmThatTellsNothingOfItsTrainingIsRefused) {
  const TemporaryFolder folder;
  const Study study = made_up_study(folder);
  const StudyArm arm{Granularity::kChunkwise, ArmKind::kSf, 1};
  const nlohmann::json whole = write_made_up_arm(study, arm, [](auto...) { return 0.5; }).json;
  for (const std::string fact : {"config", "exits_sha256", "student_sha256", "teacher_sha256"}) {
    nlohmann::json json = whole;
    json["training"].erase(fact);
    write_arm(study, arm, json);
    EXPECT_THAT(refusal_of([&] { read_arm(study, arm); }), HasSubstr("it lacks training." + fact));
  }
  nlohmann::json json = whole;
  json.erase("training");
  write_arm(study, arm, json);
  EXPECT_THAT(refusal_of([&] { read_arm(study, arm); }), HasSubstr("it lacks training"));
  write_arm(study, arm, whole);
  EXPECT_TRUE(read_arm(study, arm).has_value());
}

}  // namespace
}  // namespace sgf
