// Which settings and files the ranks of a run must have in common.
#include "sgf/training/run/run_terms.h"

#include "tests/core/refusal.h"
#include "tests/core/temporary_folder.h"

#include <fstream>

namespace sgf {
namespace {

using ::testing::HasSubstr;
using testing::TemporaryFolder;

std::string changed_key(const Config& now) {
  const auto difference = first_difference(config_terms(Config()), config_terms(now));
  return difference ? difference->key : "";
}

TEST(RunTerms, WhatChangesTheWeightsIsAmongThem) {
  const std::vector<std::pair<std::string, std::function<void(Config&)>>> changes{
      {"optimiser.learning_rate", [](Config& c) { c.optimiser.learning_rate = 1e-3; }},
      {"run.seed", [](Config& c) { c.run.seed = 7; }},
      {"dmd.guidance", [](Config& c) { c.dmd.guidance = 5; }},
      {"train.steps", [](Config& c) { c.train.steps = 7; }},
      {"train.stage", [](Config& c) { c.train.stage = StageChoice::kFlowMatching; }},
      {"data.prompts", [](Config& c) { c.data.prompts = "other.txt"; }},
      {"negative_prompt", [](Config& c) { c.negative_prompt = "grey"; }}};
  for (const auto& [key, change] : changes) {
    Config c;
    change(c);
    EXPECT_EQ(changed_key(c), key);
  }
}

TEST(RunTerms, WhereARankComputesAndWhatItLeavesIsNot) {
  Config c;
  c.name = "other";
  c.description = "of another host";
  c.run.device = DeviceKind::kCuda;
  c.run.threads = 7;
  c.output.checkpoint_every = 7;
  c.output.sample_prompts = {"a red square"};
  EXPECT_EQ(changed_key(c), "");
}

TEST(RunTerms, ConfigsOfARecipeAreToldApartByTheirFile) {
  EXPECT_EQ(config_terms(Config(), "2_student.yaml: ").front().key.find("2_student.yaml: "), 0U);
}

TEST(RunTerms, OtherPromptsBehindOnePathDiffer) {
  const TemporaryFolder folder;
  Config c;
  c.train.stage = StageChoice::kDmd;
  c.data.prompts = (folder / "prompts.txt").string();
  std::ofstream(c.data.prompts) << "a red square\n";
  const RunTerms before = source_terms(data_sources(c)), again = source_terms(data_sources(c));
  std::ofstream(c.data.prompts) << "a blue square\n";
  const RunTerms after = source_terms(data_sources(c));
  EXPECT_FALSE(first_difference(before, again));
  ASSERT_TRUE(first_difference(before, after));
  EXPECT_EQ(first_difference(before, after)->key, "the content of data.prompts");
  c.train.stage = StageChoice::kFlowMatching;
  EXPECT_TRUE(data_sources(c).empty()) << "this stage reads no prompts";
}

TEST(RunTerms, ACheckpointThatIsNotThereIsNamed) {
  EXPECT_THAT(refusal_of([] { checkpoint_terms("/nowhere/step_00000003"); }),
              HasSubstr("it does not exist on this host"));
}

}  // namespace
}  // namespace sgf
