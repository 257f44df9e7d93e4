// Whole runs of several processes: ranks that were started differently refuse to train, all with the same words.
#include "sgf/core/device.h"
#include "sgf/core/error.h"
#include "sgf/training/distributed/rank_groups.h"
#include "sgf/training/run/train_run.h"
#include "tests/training/distributed/rank_processes.h"
#include "tests/training/small_run.h"

#include <gmock/gmock.h>

namespace sgf {
namespace {

namespace fs = std::filesystem;
using testing::add_rank_action;
using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::kDone;
using testing::RankProcesses;
using testing::small_run;
using testing::TemporaryFolder;

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

// SGF_RUN_CHANGES: assignments for this rank, a line each.
Config changed(const Config& config) {
  ConfigNode tree = parse_yaml(to_yaml(config), {.source = "test"});
  std::istringstream lines(variable("SGF_RUN_CHANGES"));
  for (std::string line; std::getline(lines, line);) apply_override(tree, line);
  return read_tree<Config>(tree);
}

// Every rank has a working folder of its own, so that one path may lead to different prompts.
const bool kRun = add_rank_action("run", [](const Ranks& ranks, const fs::path& folder) {
  Config c = small_run(StageChoice::kDmd, 3);
  c.train.start_from = c.dmd.teacher = variable("SGF_RUN_TEACHER");
  c.data.prompts = "prompts.txt";
  const fs::path own = folder / fmt::format("own-{}", ranks.rank());
  fs::create_directory(own);
  fs::current_path(own);
  std::ofstream(c.data.prompts) << "a red disc on a grey field\n" << variable("SGF_RUN_PROMPT") << "\n";
  const std::string out = variable("SGF_RUN_OUT");
  run_training({.config = changed(c),
                .out = folder / (out.empty() ? "run" : out),
                .facts = nlohmann::json::object(),
                .progress = ProgressMode::kQuiet},
               ranks);
});

class RankedRuns : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!has_gloo()) GTEST_SKIP() << "this build was made without the headers of Gloo (libgloo-dev)";
    testing::train(small_run(StageChoice::kFlowMatching, 1), folder_ / "teacher");
  }

  std::map<std::string, std::string> common() const {
    return {{"SGF_RUN_TEACHER", (folder_ / "teacher").string()}, {"SGF_RUN_PROMPT", "a blue disc on a grey field"}};
  }

  void expect_refusal(const std::map<std::string, std::string>& of_rank_1, const std::string& key,
                      const std::string& first, const std::string& other) const {
    RankProcesses ranks("run", 2, common(), {{1, of_rank_1}});
    for (size_t rank = 0; rank < 2; ++rank) {
      const auto code = ranks.code(rank);
      EXPECT_TRUE(code && *code > kDone) << "an exit code, no signal; said: " << ranks.output(rank);
      EXPECT_THAT(ranks.output(rank),
                  AllOf(HasSubstr("the ranks differ in " + key + ": " + first), HasSubstr(", " + other),
                        HasSubstr("on rank 0 (host "), HasSubstr("on rank 1 (host ")));
    }
    EXPECT_FALSE(fs::exists(ranks.folder() / "run"));
  }

  TemporaryFolder folder_;
};

TEST_F(RankedRuns, ASettingOfOneRankThatDiffersEndsAll) {
  const auto refuse = [&](const std::string& key, const std::string& first, const std::string& other) {
    expect_refusal({{"SGF_RUN_CHANGES", key + "=" + other}}, key, "'" + first + "'", "'" + other + "'");
  };
  refuse("optimiser.learning_rate", "0.001", "0.002");
  refuse("run.seed", std::to_string(small_run(StageChoice::kDmd, 3).run.seed), "77");
  refuse("dmd.guidance", ConfigValue<double>::write(small_run(StageChoice::kDmd, 3).dmd.guidance), "7.5");
}

TEST_F(RankedRuns, AnotherNumberOfStepsOrAnotherStageEndsAllWithoutACrash) {
  expect_refusal({{"SGF_RUN_CHANGES", "train.steps=6"}}, "train.steps", "'3'", "'6'");
  expect_refusal({{"SGF_RUN_CHANGES", "train.stage=flow_matching"}}, "train.stage", "'dmd'", "'flow_matching'");
}

TEST_F(RankedRuns, OtherPromptsBehindTheSamePathEndAll) {
  expect_refusal({{"SGF_RUN_PROMPT", "a green disc on a grey field"}}, "the content of data.prompts", "'", "'");
}

// The control: where a rank computes and writes is its own affair. One thread is what the others take from
// OMP_NUM_THREADS, since another number would round differently.
TEST_F(RankedRuns, OtherThreadsDeviceNamesAndFoldersTrainTheSame) {
  std::string changes = "run.threads=1\nname=other\noutput.checkpoint_every=2";
  if (!cuda_is_available()) changes += "\nrun.device=auto";
  ASSERT_NE(small_run(StageChoice::kDmd, 3).run.threads, 1) << "nothing would differ";
  RankProcesses plain("run", 2, common());
  RankProcesses mixed("run", 2, common(), {{1, {{"SGF_RUN_CHANGES", changes}, {"SGF_RUN_OUT", "elsewhere"}}}});
  for (size_t rank = 0; rank < 2; ++rank) {
    EXPECT_EQ(plain.code(rank), kDone) << plain.output(rank);
    EXPECT_EQ(mixed.code(rank), kDone) << mixed.output(rank);
  }
  EXPECT_FALSE(plain.text("run/metrics.jsonl").empty());
  EXPECT_EQ(plain.text("run/metrics.jsonl"), mixed.text("run/metrics.jsonl"));
  const std::string weights = "run/checkpoints/step_00000003/generator.safetensors";
  EXPECT_FALSE(plain.text(weights).empty());
  EXPECT_TRUE(plain.text(weights) == mixed.text(weights));
}

}  // namespace
}  // namespace sgf
