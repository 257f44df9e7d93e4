// Which settings and files the ranks of a run must have in common.
#include "sgf/training/run/run_terms.h"

#include "sgf/dataset/clip_manifest.h"
#include "sgf/dataset/pair_manifest.h"
#include "tests/core/refusal.h"
#include "tests/core/temporary_folder.h"
#include "tests/training/file_text.h"

#include <nlohmann/json.hpp>

#include <fstream>

namespace sgf {
namespace {

using ::testing::HasSubstr;
using testing::TemporaryFolder;
using testing::write_text;

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

// A folder of one encoded video, whose shard has this hash.
void write_clips(const std::filesystem::path& folder, const std::string& shard_sha256) {
  const ClipManifest manifest{
      .order = {.latent = {3, 4, 2, 2}},
      .videos = {{.name = "a.mp4", .clips = 1, .shard_bytes = 8, .shard_sha256 = shard_sha256}}};
  write_text(order_file(folder), to_json(manifest.order).dump());
  write_text(manifest_file(folder), to_json(manifest).dump());
  write_text(clip_shard(folder, "a.mp4"), "12345678");
}

// A folder of one shard of pairs.
void write_pairs(const std::filesystem::path& folder, const std::string& shard_sha256) {
  const nlohmann::json order = to_json(PairOrder{.stage = "causal_ode",
                                                 .teacher = "t",
                                                 .data = "d",
                                                 .timesteps = {1000, 500},
                                                 .latent = {3, 4, 2, 2},
                                                 .count = 2,
                                                 .per_shard = 2});
  const nlohmann::json shard = to_json(PairShard{shard_file("", 0).string(), 0, 2, 8, shard_sha256});
  write_text(order_file(folder), order.dump());
  write_text(shard_file(folder, 0), "12345678");
  write_text(manifest_file(folder),
             nlohmann::json{{"format", order.at("format")}, {"order", order}, {"shards", {shard}}}.dump());
}

TEST(RunTerms, OtherClipsBehindOnePathDiffer) {
  const TemporaryFolder folder;
  Config c;
  c.train.stage = StageChoice::kTeacherForcing;
  c.data.clips = folder.path().string();
  write_clips(folder.path(), "1");
  const RunTerms before = source_terms(data_sources(c)), again = source_terms(data_sources(c));
  write_clips(folder.path(), "2");
  const RunTerms after = source_terms(data_sources(c));
  EXPECT_FALSE(first_difference(before, again));
  ASSERT_TRUE(first_difference(before, after));
  EXPECT_EQ(first_difference(before, after)->key, "the content of data.clips");
  c.data.clips.clear();
  EXPECT_TRUE(data_sources(c).empty()) << "the built-in world has no files";
}

TEST(RunTerms, OtherPairsBehindOnePathDiffer) {
  const TemporaryFolder folder;
  Config c;
  c.train.stage = StageChoice::kCausalOde;
  c.data.pairs = folder.path().string();
  write_pairs(folder.path(), "1");
  const RunTerms before = source_terms(data_sources(c)), again = source_terms(data_sources(c));
  write_pairs(folder.path(), "2");
  const RunTerms after = source_terms(data_sources(c));
  EXPECT_FALSE(first_difference(before, again));
  ASSERT_TRUE(first_difference(before, after));
  EXPECT_EQ(first_difference(before, after)->key, "the content of data.pairs");
  c.train.stage = StageChoice::kTeacherForcing;
  EXPECT_TRUE(data_sources(c).empty()) << "this stage reads no pairs";
}

TEST(RunTerms, ACheckpointThatIsNotThereIsNamed) {
  EXPECT_THAT(refusal_of([] { checkpoint_terms("/nowhere/step_00000003"); }),
              HasSubstr("it does not exist on this host"));
}

}  // namespace
}  // namespace sgf
