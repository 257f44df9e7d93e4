// A run's folder: made, recognised, refused.
#include "sgf/runs/run_folder.h"

#include "sgf/config/config.h"
#include "tests/core/refusal.h"
#include "tests/core/temporary_folder.h"
#include "tests/training/file_text.h"

#include <nlohmann/json.hpp>

namespace sgf::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kConfig = "name: a\nmodel:\n  dim: 96\n  patch_size: [1, 2, 2]\ntraining:\n  steps: 20\n";
constexpr const char* kWider = "name: a\nmodel:\n  dim: 128\n  patch_size: [1, 2, 4]\ntraining:\n  steps: 20\n";
constexpr const char* kLonger = "name: a\nmodel:\n  dim: 96\n  patch_size: [1, 2, 2]\ntraining:\n  steps: 40\n";

TEST(RunFolder, ANewRunHoldsItsConfigAndItsFolders) {
  const TemporaryFolder folder;
  const RunFolder run = RunFolder::create(folder / "run", kConfig);
  EXPECT_EQ(text_of(run.config_file()), kConfig);
  EXPECT_TRUE(std::filesystem::is_directory(run.events_folder()));
  EXPECT_TRUE(std::filesystem::is_directory(run.samples_folder()));
  EXPECT_EQ(run.checkpoints().newest(), std::nullopt);
  EXPECT_TRUE(is_run_folder(folder / "run"));
  EXPECT_FALSE(is_run_folder(folder.path()));
}

TEST(RunFolder, StoresTheThreadsThatItsConfigNames) {
  const TemporaryFolder folder;
  EXPECT_EQ(stored_threads(folder / "none"), std::nullopt);
  RunFolder::create(folder / "old", kConfig);
  EXPECT_EQ(stored_threads(folder / "old"), 0);
  RunFolder::create(folder / "run", std::string(kConfig) + "run:\n  threads: 3\n");
  EXPECT_EQ(stored_threads(folder / "run"), 3);
}

TEST(RunFolder, WallTimeIsTheSumOfAllStartsThatNotedIt) {
  const TemporaryFolder folder;
  const RunFolder run = RunFolder::create(folder / "run", kConfig);
  EXPECT_EQ(run.wall_time(), 0);
  run.note_wall_time(5);  // of no start
  EXPECT_FALSE(std::filesystem::exists(run.facts_file()));
  run.add_facts({{"device", "cpu"}});
  run.note_wall_time(2);
  run.note_wall_time(3.5);
  run.add_facts({{"device", "cuda"}});
  EXPECT_EQ(run.wall_time(), 3.5);
  run.note_wall_time(1);
  EXPECT_EQ(run.wall_time(), 4.5);
  EXPECT_THAT(text_of(run.facts_file()), AllOf(HasSubstr("cpu"), HasSubstr("cuda")));
}

TEST(RunFolder, ARunIsNotStartedOverAnother) {
  const TemporaryFolder folder;
  RunFolder::create(folder / "run", kConfig);
  EXPECT_THAT(refusal_of([&] { RunFolder::create(folder / "run", kConfig); }), HasSubstr("already holds a run"));
}

TEST(RunFolder, ARunIsNotStartedAmongOtherFiles) {
  const TemporaryFolder folder;
  write_text(folder / "thesis.tex", "years of work");
  EXPECT_THAT(refusal_of([&] { RunFolder::create(folder.path(), kConfig); }), HasSubstr("do not belong to a run"));
  EXPECT_FALSE(is_run_folder(folder.path()));
}

TEST(RunFolder, WhatAKilledStartLeftIsNoObstacle) {
  const TemporaryFolder folder;
  std::filesystem::create_directories(folder / "checkpoints");
  write_text(folder / ".config.yaml.17-0.tmp", "name:");
  EXPECT_NO_THROW(RunFolder::create(folder.path(), kConfig));
  EXPECT_FALSE(std::filesystem::exists(folder / ".config.yaml.17-0.tmp"));
}

TEST(RunFolder, HiddenFilesOfOthersStay) {
  const TemporaryFolder folder;
  write_text(folder / ".notes.tmp", "years of work");
  write_text(folder / ".notes.v2-a.tmp", "more of it");
  RunFolder::create(folder.path(), kConfig);
  RunFolder::open(folder.path(), kConfig);
  EXPECT_EQ(text_of(folder / ".notes.tmp"), "years of work");
  EXPECT_EQ(text_of(folder / ".notes.v2-a.tmp"), "more of it");
}

TEST(RunFolder, OpensARunOfTheSameConfig) {
  const TemporaryFolder folder;
  RunFolder::create(folder / "run", kConfig);
  EXPECT_NO_THROW(RunFolder::open(folder / "run", kConfig));
}

TEST(RunFolder, RefusesARunOfAnotherConfigAndNamesTheKeys) {
  const TemporaryFolder folder;
  RunFolder::create(folder / "run", kConfig);
  EXPECT_THAT(
      refusal_of([&] { RunFolder::open(folder / "run", kWider); }),
      AllOf(HasSubstr("the run was made with another config"), HasSubstr("model.dim (run: 96, this config: 128)"),
            HasSubstr("model.patch_size (run: [1, 2, 2], this config: [1, 2, 4])"), Not(HasSubstr("training.steps"))));
  EXPECT_EQ(text_of(folder / "run" / "config.yaml"), kConfig);
}

TEST(RunFolder, AFreeKeyMayDifferAndTheConfigFollows) {
  const TemporaryFolder folder;
  RunFolder::create(folder / "run", kConfig);
  EXPECT_THAT(refusal_of([&] {
                RunFolder::open(folder / "run", kLonger, {"model", "train"});
              }),
              HasSubstr("training.steps (run: 20, this config: 40)"));
  const RunFolder run = RunFolder::open(folder / "run", kLonger, {"training.steps"});
  EXPECT_EQ(text_of(run.config_file()), kLonger);
}

TEST(RunFolder, AKeyThatOnlyOneConfigHasIsADifference) {
  const auto differences = compare_configs("a: 1\nb: 2\n", "a: 1\nc: 3\n");
  ASSERT_EQ(differences.size(), 2u);
  EXPECT_EQ(differences[0].key, "b");
  EXPECT_EQ(differences[0].now, "");
  EXPECT_EQ(differences[1].key, "c");
  EXPECT_TRUE(compare_configs("a: 1 # one\nb: 2\n", "b: 2\na: 1\n").empty());
}

TEST(RunFolder, AKeyThatAnEarlierVersionDidNotWriteHasItsDefault) {
  const std::string now = to_yaml(Config());
  const std::string line = "  first_block_steps: []\n";
  std::string before = now;
  ASSERT_NE(before.find(line), std::string::npos);
  before.erase(before.find(line), line.size());
  EXPECT_TRUE(compare_configs(before, now).empty());
  EXPECT_TRUE(compare_configs(now, before).empty());
  Config changed;
  changed.schedule.first_block_steps = {1000, 500};
  ASSERT_EQ(compare_configs(before, to_yaml(changed)).size(), 1u);
  EXPECT_EQ(compare_configs(before, to_yaml(changed)).front().key, "schedule.first_block_steps");
}

TEST(RunFolder, RefusesToResumeWhereThereIsNoRun) {
  const TemporaryFolder folder;
  EXPECT_THAT(refusal_of([&] { RunFolder::open(folder / "nowhere", kConfig); }), HasSubstr("no run to resume"));
  EXPECT_FALSE(std::filesystem::exists(folder / "nowhere"));
}

TEST(RunFolder, OpeningRemovesWhatACrashLeft) {
  const TemporaryFolder folder;
  RunFolder::create(folder / "run", kConfig);
  std::filesystem::create_directories(folder / "run" / "checkpoints" / "step_00000010");
  std::filesystem::create_directories(folder / "run" / "checkpoints" / ".step_00000020.tmp");
  std::filesystem::create_directories(folder / "run" / "samples" / "step_00000010");
  write_text(folder / "run" / "samples" / "step_00000010" / "0.png", "a picture");
  write_text(folder / "run" / "samples" / "step_00000010" / ".1.png.17-3.tmp", "half a picture");
  write_text(folder / "run" / ".report.html.17-4.tmp", "half a page");
  RunFolder::open(folder / "run", kConfig);
  EXPECT_TRUE(std::filesystem::is_empty(folder / "run" / "checkpoints"));
  EXPECT_TRUE(std::filesystem::exists(folder / "run" / "samples" / "step_00000010" / "0.png"));
  EXPECT_FALSE(std::filesystem::exists(folder / "run" / "samples" / "step_00000010" / ".1.png.17-3.tmp"));
  EXPECT_FALSE(std::filesystem::exists(folder / "run" / ".report.html.17-4.tmp"));
}

TEST(RunFolder, IsHeldByOneAtATime) {
  const TemporaryFolder folder;
  {
    const RunFolder run = RunFolder::create(folder / "run", kConfig);
    EXPECT_THAT(refusal_of([&] { RunFolder::open(folder / "run", kConfig); }), HasSubstr("another process"));
  }
  EXPECT_NO_THROW(RunFolder::open(folder / "run", kConfig));
}

TEST(RunFolder, KeepsTheFactsOfEveryStart) {
  const TemporaryFolder folder;
  const RunFolder run = RunFolder::create(folder / "run", kConfig);
  run.add_facts({{"device", "cpu"}});
  run.add_facts({{"device", "cuda"}});
  const auto facts = nlohmann::json::parse(text_of(run.facts_file()));
  ASSERT_EQ(facts.size(), 2u);
  EXPECT_EQ(facts[0]["device"], "cpu");
  EXPECT_EQ(facts[1]["device"], "cuda");
}

}  // namespace
}  // namespace sgf::testing
