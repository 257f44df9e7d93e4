// Runs of a folder: each after those it starts from, whatever the files are called.
#include "sgf/training/planning/recipe_plan.h"

#include "tests/core/refusal.h"
#include "tests/core/temporary_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

namespace sgf {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

class Recipe : public ::testing::Test {
 protected:
  void add(const std::string& file, const std::string& name, const std::string& settings) const {
    std::ofstream(folder_ / (file + ".yaml")) << "base: world-tiny\nname: " << name << "\n" << settings;
  }
  std::vector<std::string> names() const {
    std::vector<std::string> out;
    for (const RecipeStep& step : plan_recipe(folder_.path(), {}, {SGF_PRESETS})) out.push_back(step.config.name);
    return out;
  }
  testing::TemporaryFolder folder_;
};

TEST_F(Recipe, MissesWhatNoneOfItsRunsWillMake) {
  add("a", "forced", "train: {stage: teacher_forcing}\ndata: {world: '', clips: absent/clips, wan: absent/wan}\n");
  add("b", "student", "train: {stage: causal_cd, start_from: runs/forced}\ndistil: {teacher: absent/teacher}\n");
  const std::vector<RecipeStep> steps = plan_recipe(folder_.path(), {}, {SGF_PRESETS});
  EXPECT_THAT(missing_beforehand(steps[0]),
              ElementsAre(HasSubstr("data.wan"), HasSubstr("--wan absent/wan --out absent/clips")));
  EXPECT_THAT(missing_beforehand(steps[1]), ElementsAre(HasSubstr("distil.teacher: absent/teacher")));
}

// Their teacher may be the run before: they cannot be there when the first one begins.
TEST_F(Recipe, PairsMayBeMadeBetweenItsRuns) {
  const std::string pairs = "data: {pairs: absent/pairs}\n";
  add("a", "forced", "train: {stage: teacher_forcing}\n");
  add("b", "student", "train: {stage: causal_ode, start_from: runs/forced}\n" + pairs);
  add("c", "alone", "train: {stage: causal_ode, start_from: models}\n" + pairs);
  const std::vector<RecipeStep> steps = plan_recipe(folder_.path(), {}, {SGF_PRESETS});
  EXPECT_TRUE(waits_for_pairs(steps[1]));
  EXPECT_THAT(missing_beforehand(steps[1]), IsEmpty());
  EXPECT_FALSE(waits_for_pairs(steps[2]));
  EXPECT_THAT(missing_beforehand(steps[2]), Contains(HasSubstr("data.pairs: absent/pairs")));
}

TEST_F(Recipe, TeachersOfAnotherStageAreKnownBeforeTheyAreMade) {
  add("a", "bidirectional", "train: {stage: flow_matching}\n");
  add("b", "forced", "train: {stage: teacher_forcing}\n");
  add("c", "good", "train: {stage: causal_cd}\ndistil: {teacher: runs/forced}\n");
  add("d", "wrong", "train: {stage: causal_cd}\ndistil: {teacher: ./runs/bidirectional}\n");
  add("e", "worse", "train: {stage: dmd}\ndmd: {teacher: runs/forced}\n");
  for (const RecipeStep& step : plan_recipe(folder_.path(), {}, {SGF_PRESETS})) {
    const std::vector<std::string> wrong = wrong_teachers(step, plan_recipe(folder_.path(), {}, {SGF_PRESETS}));
    if (step.config.name == "wrong")
      EXPECT_THAT(wrong, ElementsAre(HasSubstr("will be a run of flow_matching, expected a run of teacher_forcing")));
    else if (step.config.name == "worse")
      EXPECT_THAT(wrong, ElementsAre(HasSubstr("dmd.teacher runs/forced: will be a run of teacher_forcing")));
    else
      EXPECT_THAT(wrong, IsEmpty()) << step.config.name;
  }
}

TEST_F(Recipe, IsRunInTheOrderOfItsWeights) {
  add("a", "pair", "train: {stage: dmd, start_from: runs/student}\ndmd: {teacher: runs/teacher/checkpoints/step_7}\n");
  add("b", "student", "train: {stage: causal_cd, start_from: runs/forced}\ndistil: {teacher: runs/forced}\n");
  add("c", "forced", "train: {stage: teacher_forcing, start_from: ./runs/teacher}\n");
  add("d", "teacher", "train: {stage: flow_matching}\n");
  add("e", "alone", "train: {stage: flow_matching, start_from: elsewhere/teacher}\n");
  EXPECT_THAT(names(), ElementsAre("teacher", "forced", "student", "pair", "alone"));
}

TEST_F(Recipe, AStudyBesideTheRunsIsNone) {
  add("a", "teacher", "train: {stage: flow_matching}\n");
  std::ofstream(folder_ / "study.yaml") << "chunkwise: {seeds: 5}\n";
  EXPECT_THAT(names(), ElementsAre("teacher"));
}

TEST_F(Recipe, NamesThatOnlyBeginAlikeAreNoWeights) {
  add("a", "long", "train: {stage: teacher_forcing, start_from: runs/teacher-two}\n");
  add("b", "teacher", "train: {stage: flow_matching}\n");
  EXPECT_THAT(plan_recipe(folder_.path(), {}, {SGF_PRESETS}).front().after, IsEmpty());
}

TEST_F(Recipe, ACircleATwinAndAnEmptyFolderAreRefused) {
  EXPECT_THAT(refusal_of([&] { names(); }), HasSubstr("holds no .yaml file"));
  add("a", "one", "train: {stage: teacher_forcing, start_from: runs/two}\n");
  add("b", "two", "train: {stage: teacher_forcing, start_from: runs/one}\n");
  EXPECT_THAT(refusal_of([&] { names(); }), HasSubstr("need each other's weights: a.yaml, b.yaml"));
  add("b", "one", "");
  EXPECT_THAT(refusal_of([&] { names(); }), HasSubstr("both make runs/one"));
}

TEST(ShippedRecipes, AreSoundAndChained) {
  const std::filesystem::path recipes = std::filesystem::path(SGF_SOURCE_DIR) / "recipes";
  const auto names = [&](const char* folder) {
    std::vector<std::string> out;
    for (const RecipeStep& step : plan_recipe(recipes / folder, {}, {SGF_PRESETS})) out.push_back(step.config.name);
    return out;
  };
  EXPECT_THAT(names("world-small"), ElementsAre("world-small-teacher", "world-small-teacher-forcing",
                                                "world-small-causal-cd", "world-small-sf", "world-small-sgf"));
  EXPECT_THAT(names("world-tiny"), ElementsAre("world-tiny-teacher", "world-tiny-teacher-forcing",
                                               "world-tiny-causal-cd", "world-tiny-sgf"));
  for (const std::string kind : {"framewise", "chunkwise"})
    EXPECT_THAT(
        names(("wan-1.3b/" + kind).c_str()),
        ElementsAre("wan-1.3b-" + kind + "-teacher-forcing", "wan-1.3b-" + kind + "-sgf", "wan-1.3b-" + kind + "-sf"));
  EXPECT_THAT(names("world-small-framewise"),
              ElementsAre("world-small-framewise-short-clips", "world-small-framewise-whole-clips",
                          "world-small-framewise-causal-cd"));
}

// The first run of a newcomer: every stage on a CPU, with nothing to be there beforehand.
TEST(ShippedRecipes, TheTinyOneNeedsNothingAndItsClipsAreOneWindow) {
  const std::filesystem::path recipes = std::filesystem::path(SGF_SOURCE_DIR) / "recipes";
  const std::vector<RecipeStep> steps = plan_recipe(recipes / "world-tiny", {}, {SGF_PRESETS});
  ASSERT_EQ(steps.size(), 4U);
  for (const RecipeStep& step : steps) {
    SCOPED_TRACE(step.file.filename().string());
    EXPECT_THAT(missing_beforehand(step), IsEmpty());
    EXPECT_THAT(wrong_teachers(step, steps), IsEmpty());
    EXPECT_FALSE(waits_for_pairs(step));
    EXPECT_EQ(step.config.video.frames, step.config.context.train_frames);
  }
  EXPECT_EQ(steps[3].config.dmd.boundary, GradientBoundary::kOpenContext);
  EXPECT_THAT(missing_beforehand(plan_recipe(recipes / "wan-1.3b/framewise", {}, {SGF_PRESETS}).front()),
              Not(IsEmpty()));  // the control
}

// The study's pair may differ in nothing but the boundary.
TEST(ShippedRecipes, TheMatchedPairDiffersInItsBoundaryAndName) {
  const std::filesystem::path folder = std::filesystem::path(SGF_SOURCE_DIR) / "recipes/world-small";
  Config sf = load_config(folder / "4_sf.yaml", {}, {SGF_PRESETS});
  const Config sgf = load_config(folder / "4_sgf.yaml", {}, {SGF_PRESETS});
  EXPECT_NE(sf, sgf);
  sf.dmd.boundary = sgf.dmd.boundary;
  sf.name = sgf.name;
  EXPECT_EQ(sf, sgf);
}

// Kept results of the study are refused where a setting differs, and the bundled models keep the config they were made
// with.
TEST(ShippedRecipes, OfTheWorldKeepTheContextOfTheBundledModels) {
  const std::filesystem::path source(SGF_SOURCE_DIR);
  const auto context_of = [&](const std::string& file) { return load_config(file, {}, {SGF_PRESETS}).context; };
  const auto model = [&](const char* role) { return source / "models/world-small" / role / "config.yaml"; };
  const ContextSettings bundled = context_of(model("student").string());
  for (const char* role : {"teacher", "sf", "sgf"}) EXPECT_EQ(context_of(model(role).string()), bundled) << role;
  for (const RecipeStep& step : plan_recipe(source / "recipes/world-small", {}, {SGF_PRESETS}))
    EXPECT_EQ(step.config.context, bundled) << step.file;
  EXPECT_EQ(context_of("world-small-demo"), bundled);  // what sgf demo streams the bundled models with
  EXPECT_EQ(bundled.train_frames, 12);
  EXPECT_EQ(context_of("world-small").train_frames, 21);  // the control: new models have the release's positions
}

}  // namespace
}  // namespace sgf
