// Which files a run began with, as its facts say.
#include "sgf/assembly/start_sources.h"

#include "sgf/files/safetensors.h"
#include "sgf/model/weight_table.h"
#include "sgf/runs/run_folder.h"
#include "tests/core/refusal.h"
#include "tests/core/temporary_folder.h"
#include "tests/training/file_text.h"

#include <nlohmann/json.hpp>

#include <string>

namespace sgf {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::write_text;
using Json = nlohmann::json;

std::string nested() { return std::string(100'000, '[') + std::string(100'000, ']'); }

TEST(FactsFile, NestedFactsAreRefusedByBothWhoReadThem) {
  const testing::TemporaryFolder folder;
  const RunFolder run = RunFolder::create(folder / "run", "name: a\n");
  run.add_facts(Json{{"a", 1}});
  EXPECT_TRUE(read_start_sources(run.facts_file()).empty());
  write_text(run.facts_file(), nested());
  const auto says_so = AllOf(HasSubstr("facts.json"), HasSubstr("nested deeper"));
  EXPECT_THAT(refusal_of([&] { read_start_sources(run.facts_file()); }), says_so);
  EXPECT_THAT(refusal_of([&] { run.add_facts(Json{{"a", 1}}); }), says_so);
}

// A checkpoint as Self-Forcing's trainer writes it: one tiny network per outer key.
void write_roles(const std::filesystem::path& path, const std::vector<std::string>& roles) {
  std::vector<WeightShape> shapes = expected_dit_weights(dit_preset("tiny"));
  const std::vector<float> zeros(1 << 16);
  std::vector<OutgoingTensor> tensors;
  for (const std::string& role : roles)
    for (const WeightShape& weight : shapes) {
      const auto bytes = std::as_bytes(std::span(zeros)).first(*dense_byte_count(DType::kF32, weight.shape));
      tensors.push_back(outgoing_bytes(role + ".model." + weight.name, DType::kF32, weight.shape, bytes));
    }
  write_safetensors(path, tensors);
}

class StartRoles : public ::testing::Test {
 protected:
  StartRoles() {
    write_roles(file_, {"generator", "generator_ema", "critic"});
    config_ = load_config("world-tiny", {}, {SGF_PRESETS});
    config_.train.stage = StageChoice::kDmd;
    config_.train.start_from = config_.dmd.teacher = config_.dmd.critic = file_.string();
  }
  std::vector<StartSource> choose(const std::vector<StartSource>& recorded = {}) {
    said_.clear();
    return choose_start_sources(config_, recorded, false, [&](const std::string& text) { said_.push_back(text); });
  }

  const testing::TemporaryFolder folder_;
  const std::filesystem::path file_ = folder_ / "model.safetensors";
  Config config_;
  std::vector<std::string> said_;
};

TEST_F(StartRoles, AreThoseOfThePeersTrainersAndAreSaidAndRecorded) {
  const std::vector<StartSource> sources = choose();
  ASSERT_EQ(sources.size(), 3U);
  EXPECT_EQ(sources[0].role, "generator");
  EXPECT_EQ(sources[1].role, "generator");  // dmd.teacher
  EXPECT_EQ(sources[2].role, "critic");
  ASSERT_EQ(said_.size(), 3U);
  EXPECT_THAT(said_[0], AllOf(HasSubstr("train.start_from"), HasSubstr("uses generator; the file also holds critic, "
                                                                       "generator_ema")));
  EXPECT_EQ(to_json(sources).at("train.start_from").at("role"), "generator");

  write_text(folder_ / "facts.json", Json::array({Json{{"sources", to_json(sources)}}}).dump());
  EXPECT_EQ(read_start_sources(folder_ / "facts.json").at(2).role, "generator");  // by name: critic, teacher, start
}

TEST_F(StartRoles, ATeacherOfAnEarlierVersionIsNotSilentlyAnotherNetwork) {
  std::vector<StartSource> recorded = choose();
  EXPECT_EQ(choose(recorded).size(), 3U);                 // the control
  for (StartSource& source : recorded) source.role = "";  // as earlier versions recorded them
  EXPECT_THAT(
      refusal_of([&] { choose(recorded); }),
      AllOf(HasSubstr("dmd.teacher"), HasSubstr("started with generator_ema"), HasSubstr("trains with generator")));
}

TEST_F(StartRoles, OfAFileWithOneNetworkNeedNoWord) {
  write_roles(file_, {"generator_ema"});
  const std::vector<StartSource> sources = choose();
  EXPECT_EQ(sources[0].role, "generator_ema");
  EXPECT_TRUE(said_.empty());
}

}  // namespace
}  // namespace sgf
