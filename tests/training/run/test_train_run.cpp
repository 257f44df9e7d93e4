// A whole run in a folder: what it leaves, how it goes on, what it refuses before any work.
#include "sgf/training/run/train_run.h"

#include "sgf/assembly/start_file.h"
#include "sgf/assembly/train_needs.h"
#include "sgf/core/error.h"
#include "sgf/core/notice.h"
#include "sgf/files/tensors.h"
#include "sgf/model/dit_weights.h"
#include "sgf/runs/metrics_log.h"
#include "sgf/runs/run_folder.h"
#include "sgf/training/make_pairs.h"
#include "tests/core/refusal.h"
#include "tests/core/temporary_folder.h"
#include "tests/training/small_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <fstream>
#include <iterator>

namespace sgf {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::small_run;
using testing::TemporaryFolder;
using testing::train;

std::string bytes_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  EXPECT_TRUE(file.good()) << path;
  return {std::istreambuf_iterator<char>(file), {}};
}

// Every file of both checkpoints, byte for byte.
void expect_same_checkpoint(const fs::path& a, const fs::path& b, int64_t step) {
  const fs::path in_a = RunFolder::open(a, bytes_of(a / "config.yaml")).checkpoints().folder_of(step);
  const fs::path in_b = RunFolder::open(b, bytes_of(b / "config.yaml")).checkpoints().folder_of(step);
  int files = 0;
  for (const auto& entry : fs::directory_iterator(in_a)) {
    EXPECT_EQ(bytes_of(entry.path()), bytes_of(in_b / entry.path().filename())) << entry.path();
    ++files;
  }
  EXPECT_GE(files, 4);
}

class EveryStage : public ::testing::TestWithParam<StageChoice> {
 protected:
  void SetUp() override {
    train(small_run(StageChoice::kFlowMatching, 1), folder_ / "teacher");
    if (reads_pairs())
      make_pairs({.config = small_run(GetParam(), 1),
                  .teacher = find_start_file(folder_ / "teacher").path.string(),
                  .out = folder_ / "pairs",
                  .count = 5,
                  .per_shard = 2,
                  .steps = 8,
                  .progress = ProgressMode::kQuiet});
  }
  static bool reads_pairs() {
    return GetParam() == StageChoice::kCausalOde || GetParam() == StageChoice::kBidirectionalOde;
  }
  Config config(int64_t steps) const {
    Config c = small_run(GetParam(), steps);
    const std::string teacher = (folder_ / "teacher").string();
    if (GetParam() == StageChoice::kDmd || is_student_stage(GetParam())) c.train.start_from = teacher;
    if (GetParam() == StageChoice::kDmd) c.dmd.teacher = teacher;
    if (GetParam() == StageChoice::kCausalCd) c.distil.teacher = find_start_file(teacher).path.string();
    if (reads_pairs()) c.data.pairs = (folder_ / "pairs").string();
    return c;
  }
  TemporaryFolder folder_;
};

// As the trainers of Self-Forcing, Causal-Forcing and the authors' release do.
TEST(StartOfARun, IsTheGeneratorOfACheckpointWithItsAverage) {
  const TemporaryFolder folder;
  Config c = small_run(StageChoice::kFlowMatching, 1);
  const auto weights = [&](const std::string& role, uint64_t seed) {
    NamedTensors named = named_parameters(random_dit_weights(c.model, seed, at::kFloat));
    for (auto& [name, tensor] : named) name = role + ".model." + name;
    return named;
  };
  NamedTensors both = weights("generator_ema", 5);
  for (const auto& one : weights("generator", 6)) both.push_back(one);
  save_tensors(folder / "both.safetensors", both, {});
  save_tensors(folder / "generator.safetensors", weights("generator", 6), {});
  save_tensors(folder / "average.safetensors", weights("generator_ema", 5), {});
  const auto trained = [&](const std::string& name) {
    c.train.start_from = (folder / (name + ".safetensors")).string();
    train(c, folder / name);
    return bytes_of(folder / name / "checkpoints/step_00000001/generator.safetensors");
  };
  EXPECT_EQ(trained("both"), trained("generator"));
  EXPECT_NE(trained("average"), bytes_of(folder / "both/checkpoints/step_00000001/generator.safetensors"));
  const nlohmann::json facts = nlohmann::json::parse(bytes_of(folder / "both/facts.json"));
  EXPECT_EQ(facts.at(0).at("sources").at("train.start_from").at("role"), "generator");
}

TEST_P(EveryStage, TenStepsAndTenMoreAreTwentyBitForBit) {
  EXPECT_EQ(train(config(20), folder_ / "whole").end, TrainEnd::kDone);
  EXPECT_EQ(train(config(20), folder_ / "parts", false, 10).end, TrainEnd::kStopped);
  EXPECT_EQ(train(config(20), folder_ / "parts", true).steps_done, 20);
  expect_same_checkpoint(folder_ / "whole", folder_ / "parts", 20);
  EXPECT_EQ(bytes_of(folder_ / "whole/metrics.jsonl"), bytes_of(folder_ / "parts/metrics.jsonl"));
  Config other = config(20);
  other.run.seed = 2;
  train(other, folder_ / "other");  // the control
  EXPECT_NE(bytes_of(folder_ / "whole/metrics.jsonl"), bytes_of(folder_ / "other/metrics.jsonl"));
}

// Their metrics are in the rows of their steps, also of rows that are cut and made again.
TEST_P(EveryStage, SamplesOfAResumedRunMeasureTheSame) {
  Config c = config(6);
  c.output.sample_every = 2;
  c.output.sample_steps = 2;
  train(c, folder_ / "whole");
  train(c, folder_ / "parts", false, 3);
  train(c, folder_ / "parts", true);
  EXPECT_EQ(bytes_of(folder_ / "whole/metrics.jsonl"), bytes_of(folder_ / "parts/metrics.jsonl"));
  EXPECT_NE(read_metrics(folder_ / "parts/metrics.jsonl").rows.back().find("sample_valid"), nullptr);
}

TEST_P(EveryStage, LeavesCurvesSamplesEventsAndAReport) {
  Config c = config(4);
  c.output.sample_every = 2;
  c.output.sample_steps = 2;
  train(c, folder_ / "run");
  const std::vector<MetricsRow> rows = read_metrics(folder_ / "run/metrics.jsonl").rows;
  ASSERT_EQ(rows.size(), 4U);
  EXPECT_EQ(rows[0].find("sample_correlation"), nullptr);
  for (const char* name : {"sample_correlation", "sample_contrast", "sample_clipped", "sample_valid"})
    EXPECT_NE(rows[1].find(name), nullptr) << name;  // a sample after two steps
  EXPECT_TRUE(fs::exists(folder_ / "run/samples/step_00000004/0.png"));
  EXPECT_FALSE(fs::is_empty(folder_ / "run/events"));
  EXPECT_THAT(bytes_of(folder_ / "run/report.html"),
              AllOf(HasSubstr("update 4: "), HasSubstr("Ended: all updates are done"), HasSubstr("<dt>wall time</dt>"),
                    Not(HasSubstr("location.reload"))));
  const auto facts = nlohmann::json::parse(bytes_of(folder_ / "run/facts.json"));
  EXPECT_EQ(facts.at(0).at("device"), "cpu");
  EXPECT_GE(facts.at(0).at("wall_seconds"), 0);
}

INSTANTIATE_TEST_SUITE_P(Stages, EveryStage,
                         ::testing::Values(StageChoice::kFlowMatching, StageChoice::kTeacherForcing, StageChoice::kDmd,
                                           StageChoice::kCausalOde, StageChoice::kBidirectionalOde,
                                           StageChoice::kCausalCd),
                         [](const auto& stage) { return std::string(enum_name(stage.param)); });

TEST(TrainRun, EveryModeOfTheRolloutTrainsAndRecovers) {
  const TemporaryFolder folder;
  train(small_run(StageChoice::kFlowMatching, 1), folder / "teacher");
  Config c = small_run(StageChoice::kDmd, 3);
  c.train.start_from = c.dmd.teacher = (folder / "teacher").string();
  c.dmd.exit = ExitSharing::kPerSample;
  c.dmd.cache = CacheLatents::kFinalClean;
  c.dmd.first_block_given = true;
  c.dmd.boundary = GradientBoundary::kFrozenContext;
  c.train.stop_over_recovery = 1e-4;
  c.output.sample_every = 3;
  EXPECT_EQ(train(c, folder / "run").end, TrainEnd::kDone);
  c.output.sample_prompts = {"a red circle"};  // no clip of the world begins with it
  EXPECT_THAT(refusal_of([&] { train(c, folder / "other"); }), HasSubstr("leave output.sample_prompts empty"));
}

TEST(TrainRun, TheFirstExitIsOneOfTheSteps) {
  const TemporaryFolder folder;
  train(small_run(StageChoice::kFlowMatching, 1), folder / "teacher");
  Config c = small_run(StageChoice::kDmd, 3);
  c.train.start_from = c.dmd.teacher = (folder / "teacher").string();
  const auto steps = static_cast<int64_t>(c.schedule.denoising_steps.size());
  c.dmd.first_exit = steps;
  EXPECT_EQ(train(c, folder / "run").end, TrainEnd::kDone);
  c.dmd.first_exit = steps + 1;
  EXPECT_THAT(refusal_of([&] { train(c, folder / "other"); }), HasSubstr("dmd.first_exit must be one of"));
}

TEST(TrainRun, ScoresMayHaveAShiftOfTheirOwn) {
  const TemporaryFolder folder;
  train(small_run(StageChoice::kFlowMatching, 1), folder / "teacher");
  const auto metrics_under = [&](const char* name, std::optional<double> score_shift) {
    Config c = small_run(StageChoice::kDmd, 2);
    c.train.start_from = c.dmd.teacher = (folder / "teacher").string();
    c.dmd.score_shift = score_shift;
    train(c, folder / name);
    return bytes_of(folder / name / "metrics.jsonl");
  };
  const auto by_the_schedule = metrics_under("none", std::nullopt);
  EXPECT_EQ(metrics_under("same", Config{}.schedule.shift), by_the_schedule);
  EXPECT_NE(metrics_under("other", 1), by_the_schedule);
}

TEST(TrainRun, ATeacherMayBeLargerThanItsStudent) {
  const TemporaryFolder folder;
  Config teacher = small_run(StageChoice::kFlowMatching, 1);
  teacher.model.dim = 48;
  teacher.model.num_layers = 2;
  train(teacher, folder / "teacher");
  train(small_run(StageChoice::kFlowMatching, 1), folder / "student");
  Config c = small_run(StageChoice::kDmd, 3);
  c.dmd.teacher = (folder / "teacher").string();
  c.train.start_from = c.dmd.critic = (folder / "student").string();
  EXPECT_EQ(train(c, folder / "run").end, TrainEnd::kDone);
  c.dmd.critic = "";  // the critic is of the student's size: the teacher's weights do not fit it
  EXPECT_THAT(refusal_of([&] { train(c, folder / "other"); }), HasSubstr("another architecture"));
}

class RunWithATeacher : public ::testing::Test {
 protected:
  void SetUp() override {
    train(teacher(1), folder_ / "teacher");
    train(config(4), folder_ / "run", false, 2);
  }
  // Its newest checkpoint has made so many steps.
  static Config teacher(int64_t steps) { return small_run(StageChoice::kFlowMatching, steps); }
  Config config(int64_t steps) const {
    Config c = small_run(StageChoice::kDmd, steps);
    c.train.start_from = c.dmd.teacher = (folder_ / "teacher").string();
    return c;
  }
  nlohmann::json source(const char* key) const {
    return nlohmann::json::parse(bytes_of(folder_ / "run/facts.json")).back().at("sources").at(key);
  }
  TemporaryFolder folder_;
};

TEST_F(RunWithATeacher, GoesOnWithTheCheckpointItBeganWith) {
  EXPECT_EQ(source("dmd.teacher").at("step"), 1);
  train(config(4), folder_ / "whole");
  train(teacher(3), folder_ / "teacher", true);
  EXPECT_EQ(train(config(4), folder_ / "run", true).steps_done, 4);
  EXPECT_EQ(source("dmd.teacher").at("step"), 1);
  expect_same_checkpoint(folder_ / "whole", folder_ / "run", 4);
  train(config(4), folder_ / "later");  // the control: a new run takes the newer teacher
  EXPECT_NE(bytes_of(folder_ / "whole/metrics.jsonl"), bytes_of(folder_ / "later/metrics.jsonl"));
}

TEST_F(RunWithATeacher, IsRefusedWhereThatOneIsGoneUntilACopyIsNamed) {
  const fs::path first = folder_ / "teacher/checkpoints/step_00000001";
  train(teacher(3), folder_ / "teacher", true);
  fs::rename(first, folder_ / "kept");
  const std::string refusal = refusal_of([&] { train(config(4), folder_ / "run", true); });
  EXPECT_THAT(refusal, HasSubstr("dmd.teacher: the run started with " + first.string()));
  EXPECT_THAT(refusal, HasSubstr("step_00000003"));
  Config c = config(4);
  c.dmd.teacher = (folder_ / "teacher/checkpoints/step_00000003").string();
  EXPECT_THAT(refusal_of([&] { train(c, folder_ / "run", true); }), HasSubstr("another network"));
  c.dmd.teacher = (folder_ / "kept").string();
  EXPECT_EQ(train(c, folder_ / "run", true).steps_done, 4);
}

TEST_F(RunWithATeacher, IsRefusedWhereTheFileWasOverwritten) {
  const fs::path old_file = source("dmd.teacher").at("file").get<std::string>();
  train(teacher(3), folder_ / "teacher", true);
  fs::copy_file(folder_ / "teacher/checkpoints/step_00000003" / old_file.filename(), old_file,
                fs::copy_options::overwrite_existing);
  EXPECT_THAT(refusal_of([&] { train(config(4), folder_ / "run", true); }), HasSubstr("another network"));
}

// Prompts are no part of a checkpoint: others would make another run of it, without a word.
TEST_F(RunWithATeacher, IsRefusedWhereItsListOfPromptsIsAnother) {
  const auto write = [&](const char* colour) {
    std::ofstream(folder_ / "prompts.txt") << fmt::format("a fast {} disc on a black field\n", colour);
  };
  Config c = config(2);
  c.data.prompts = (folder_ / "prompts.txt").string();
  write("red");
  train(c, folder_ / "listed", false, 1);
  write("green");
  EXPECT_THAT(refusal_of([&] { train(c, folder_ / "listed", true); }),
              HasSubstr("data.prompts: the run started with other content in"));
  write("red");
  EXPECT_EQ(train(c, folder_ / "listed", true).steps_done, 2);
}

TEST(TrainRun, AConsistencyRunGoesOnWithTheTeacherItBeganWith) {
  const TemporaryFolder folder;
  train(small_run(StageChoice::kTeacherForcing, 1), folder / "teacher");
  Config c = small_run(StageChoice::kCausalCd, 4);
  c.train.start_from = c.distil.teacher = (folder / "teacher").string();
  train(c, folder / "run", false, 2);
  train(c, folder / "whole");
  train(small_run(StageChoice::kTeacherForcing, 3), folder / "teacher", true);
  EXPECT_EQ(train(c, folder / "run", true).steps_done, 4);
  expect_same_checkpoint(folder / "whole", folder / "run", 4);
  c.distil.teacher = (folder / "teacher/checkpoints/step_00000003").string();
  c.train.steps = 5;
  EXPECT_THAT(refusal_of([&] { train(c, folder / "run", true); }), HasSubstr("another network"));
}

// A run knows what it was trained for; weights alone do not.
TEST(TrainRun, ATeacherOfAnotherStageIsRefused) {
  const TemporaryFolder folder;
  train(small_run(StageChoice::kFlowMatching, 1), folder / "both_ways");
  train(small_run(StageChoice::kTeacherForcing, 1), folder / "forced");
  const auto train_with = [&](StageChoice stage, const std::string& teacher) {
    Config c = small_run(stage, 1);
    c.train.start_from = (folder / "forced").string();
    c.distil.teacher = c.dmd.teacher = (folder / teacher).string();
    train(c, folder / std::string(enum_name(stage)));
  };
  EXPECT_THAT(refusal_of([&] { train_with(StageChoice::kCausalCd, "both_ways"); }),
              HasSubstr("is a run of flow_matching, expected a run of teacher_forcing"));
  EXPECT_THAT(refusal_of([&] { train_with(StageChoice::kDmd, "forced"); }),
              HasSubstr("is a run of teacher_forcing, expected a run of flow_matching"));
  EXPECT_NO_THROW(train_with(StageChoice::kCausalCd, "forced"));
  EXPECT_NO_THROW(train_with(StageChoice::kDmd, "both_ways"));
  const PairRequest pairs{.config = small_run(StageChoice::kCausalOde, 1),
                          .teacher = (folder / "both_ways").string(),
                          .out = folder / "pairs",
                          .count = 1,
                          .steps = 4,
                          .progress = ProgressMode::kQuiet};
  EXPECT_THAT(refusal_of([&] { make_pairs(pairs); }), HasSubstr("expected a run of teacher_forcing"));
}

// A kill may come between a checkpoint and the removal of the one before.
TEST(TrainRun, ACheckpointTooManyGoesAtTheNextStartEvenWithNoStepLeft) {
  const TemporaryFolder folder;
  Config config = small_run(StageChoice::kFlowMatching, 2);
  config.output.checkpoint_every = 1;
  config.output.keep_last = 2;
  train(config, folder / "run");
  const fs::path first = folder / "run" / "checkpoints" / "step_00000001",
                 second = first.parent_path() / "step_00000002";
  ASSERT_TRUE(fs::exists(first) && fs::exists(second));
  config.output.keep_last = 1;
  EXPECT_EQ(train(config, folder / "run", true).steps_done, 2);
  EXPECT_FALSE(fs::exists(first));
  EXPECT_TRUE(fs::exists(second));
}

TEST(TrainRun, ASampleThatCannotBeReadIsNamed) {
  const TemporaryFolder folder;
  Config config = small_run(StageChoice::kFlowMatching, 1);
  config.output.sample_every = 1;
  train(config, folder / "run");
  const fs::path picture = folder / "run" / "samples" / "step_00000001" / "0.png";
  ASSERT_TRUE(fs::remove(picture));
  fs::create_directory(picture);
  EXPECT_THAT(refusal_of([&] { train(config, folder / "run", true); }), HasSubstr("step_00000001/0.png"));
}

TEST(TrainRun, FewerStepsThanItHasMadeAreRefusedAndItsConfigStays) {
  const TemporaryFolder folder;
  train(small_run(StageChoice::kFlowMatching, 3), folder / "run");
  const std::string config = bytes_of(folder / "run/config.yaml");
  EXPECT_THAT(refusal_of([&] { train(small_run(StageChoice::kFlowMatching, 2), folder / "run", true); }),
              HasSubstr("the run has made 3 updates, but train.steps is 2"));
  EXPECT_EQ(bytes_of(folder / "run/config.yaml"), config);
}

// A run of six steps that stopped after four, and what resuming it says.
class StoppedRun : public ::testing::Test {
 protected:
  void SetUp() override {
    config_.output.checkpoint_every = 2;
    train(config_, folder_ / "whole");
    train(config_, folder_ / "run", false, 4);
  }
  std::string resume() const {
    std::string said;
    run_training({.config = config_,
                  .out = folder_ / "run",
                  .resume = true,
                  .facts = nlohmann::json::object(),
                  .progress = ProgressMode::kLog,
                  .output = {.write = [&](std::string_view text) { said += text; },
                             .seconds = [] { return 0.0; },
                             .width = [] { return int64_t{80}; }}});
    return said;
  }
  void change(const fs::path& file, const std::function<void(std::string&)>& how) const {
    std::string bytes = bytes_of(folder_ / "run" / file);
    how(bytes);
    std::ofstream(folder_ / "run" / file, std::ios::binary) << bytes;
  }
  void expect_same_end() const {
    expect_same_checkpoint(folder_ / "whole", folder_ / "run", 6);
    expect_same_checkpoint(folder_ / "whole", folder_ / "run", 4);
  }
  Config config_ = small_run(StageChoice::kFlowMatching, 6);
  TemporaryFolder folder_;
};

TEST_F(StoppedRun, SaysNothingOfDamageWhereThereIsNone) {
  const std::string said = resume();
  EXPECT_THAT(said, HasSubstr("resuming after update 4"));
  EXPECT_THAT(said, Not(HasSubstr("skipped a damaged checkpoint")));
  EXPECT_THAT(said, Not(HasSubstr("lacks metrics")));
  EXPECT_THAT(said, Not(HasSubstr("hashes")));
}

TEST_F(StoppedRun, PassesOverADamagedCheckpointAndEndsAsIfNothingHadBeen) {
  change("checkpoints/step_00000004/generator.safetensors", [](std::string& bytes) { bytes.back() ^= 4; });
  const std::string said = resume();
  EXPECT_THAT(said, HasSubstr("skipped a damaged checkpoint: step_00000004: generator.safetensors: tensor"));
  EXPECT_THAT(said, HasSubstr("step_00000004.damaged"));
  EXPECT_THAT(said, HasSubstr("resuming after update 2"));
  expect_same_end();
  EXPECT_EQ(bytes_of(folder_ / "run/metrics.jsonl"), bytes_of(folder_ / "whole/metrics.jsonl"));
  const auto facts = nlohmann::json::parse(bytes_of(folder_ / "run/facts.json"));
  EXPECT_EQ(facts.back().at("first_step"), 2);
  EXPECT_THAT(facts.back().at("passed_over").at(0).get<std::string>(), HasSubstr("step_00000004"));
}

TEST_F(StoppedRun, KeepsACheckpointWithADamagedMark) {
  change("checkpoints/step_00000004/DONE", [](std::string& bytes) { bytes.resize(20); });
  const std::string weights = bytes_of(folder_ / "run/checkpoints/step_00000004/generator.safetensors");
  EXPECT_THAT(resume(), HasSubstr("step_00000004.damaged"));
  EXPECT_EQ(bytes_of(folder_ / "run/checkpoints/step_00000004.damaged/generator.safetensors"), weights);
  expect_same_end();
}

// No kill takes the mark alone, so the files may be all that is left of the run.
TEST_F(StoppedRun, KeepsCheckpointsWhoseMarksAreGone) {
  const std::string weights = bytes_of(folder_ / "run/checkpoints/step_00000004/generator.safetensors");
  for (const char* step : {"step_00000002", "step_00000004"}) fs::remove(folder_ / "run/checkpoints" / step / "DONE");
  const std::string said = resume();
  EXPECT_THAT(said, HasSubstr("skipped a damaged checkpoint: step_00000004: its mark DONE is missing"));
  EXPECT_THAT(said, HasSubstr("all checkpoints are damaged: the run starts again at update 0"));
  EXPECT_EQ(bytes_of(folder_ / "run/checkpoints/step_00000004.damaged/generator.safetensors"), weights);
  EXPECT_TRUE(fs::exists(folder_ / "run/checkpoints/step_00000002.damaged/generator.safetensors"));
  expect_same_end();
}

TEST_F(StoppedRun, WithAChangedCounterGoesOnFromTheOneBefore) {
  change("checkpoints/step_00000004/state.json", [](std::string& text) { text[text.find("\"step\"") + 1] ^= 1; });
  EXPECT_THAT(resume(), HasSubstr("resuming after update 2"));
  expect_same_end();
}

TEST_F(StoppedRun, OfAnEarlierVersionGoesOnWithOneWarning) {
  for (const auto& entry : fs::directory_iterator(folder_ / "run/checkpoints/step_00000004")) {
    const fs::path file = fs::path("checkpoints/step_00000004") / entry.path().filename();
    if (file.extension() == ".safetensors")
      change(file, [](std::string& bytes) {
        bytes[bytes.find("sgf.tensor_hashes")] = bytes[bytes.find("sgf.header_hash")] = 'x';
      });
    if (file.filename() == "DONE")
      change(file, [](std::string& bytes) {
        nlohmann::json mark = nlohmann::json::parse(bytes);
        mark.erase("hash");
        mark.erase("hashes");
        bytes = mark.dump();
      });
  }
  forget_notices();
  const std::string said = resume();
  EXPECT_THAT(said, HasSubstr("resuming after update 4"));
  const size_t first = said.find("without hashes");
  EXPECT_NE(first, std::string::npos);
  EXPECT_EQ(said.find("without hashes", first + 1), std::string::npos) << said;
}

TEST_F(StoppedRun, GivesOthersTheNewestWeightsThatAreWholeAndSaysSo) {
  EXPECT_EQ(find_start_file(folder_ / "run").step, 4) << "the control";
  change("checkpoints/step_00000004/generator.safetensors", [](std::string& bytes) { bytes.back() ^= 4; });
  change("checkpoints/step_00000004/ema.safetensors", [](std::string& bytes) { bytes.back() ^= 4; });
  forget_notices();
  std::vector<std::string> heard;
  const NoticeScope scope([&](const std::string& text) { heard.push_back(text); });
  EXPECT_EQ(find_start_file(folder_ / "run").step, 2);
  EXPECT_EQ(find_start_file(folder_ / "run").step, 2);
  ASSERT_EQ(heard.size(), 1U);
  EXPECT_THAT(heard.front(), HasSubstr("step_00000004"));
  EXPECT_THAT(heard.front(), HasSubstr("the checkpoint of update 2 is used"));
  EXPECT_THAT(refusal_of([&] { open_start_weights(folder_ / "run/checkpoints/step_00000004"); }),
              HasSubstr("is damaged"));
}

TEST_F(StoppedRun, NamesTheStepsThatItsMetricsHaveLostAndShowsThemInTheReport) {
  change("metrics.jsonl", [](std::string& text) { text.resize(text.find('\n') + 1); });
  EXPECT_THAT(resume(), HasSubstr("metrics.jsonl: lacks metrics of steps 1 to 3"));
  EXPECT_THAT(bytes_of(folder_ / "run/report.html"), HasSubstr("no metrics of steps 1 to 3"));
  EXPECT_THAT(bytes_of(folder_ / "whole/report.html"), Not(HasSubstr("no metrics of")));
  expect_same_end();
}

TEST_F(StoppedRun, GoesOnWithoutTheRowsThatCannotBeRead) {
  change("metrics.jsonl", [](std::string& text) { text[text.find('\n') + 1] = '?'; });
  const std::string damaged = bytes_of(folder_ / "run/metrics.jsonl");
  const std::string said = resume();
  EXPECT_THAT(said, HasSubstr("1 line cannot be read, the first is line 2"));
  EXPECT_THAT(said, HasSubstr("lacks metrics of step 1"));
  EXPECT_EQ(bytes_of(folder_ / "run/metrics.jsonl.damaged"), damaged);
  expect_same_end();
}

TEST_F(StoppedRun, SaysWhatToDoAboutDamagedFacts) {
  change("facts.json", [](std::string& text) { text.resize(text.size() / 2); });
  EXPECT_THAT(refusal_of([&] { resume(); }), AllOf(HasSubstr("facts.json"), HasSubstr("rename it to resume")));
  fs::rename(folder_ / "run/facts.json", folder_ / "run/facts.json.damaged");
  resume();
  expect_same_end();
}

TEST_F(StoppedRun, NamesAllStepsWhereItsMetricsAreGone) {
  fs::remove(folder_ / "run/metrics.jsonl");
  EXPECT_THAT(resume(), HasSubstr("lacks metrics of steps 0 to 3"));
}

TEST(TrainRun, PairsOfAnotherStageSizeContextOrScheduleAreRefused) {
  const TemporaryFolder folder;
  train(small_run(StageChoice::kTeacherForcing, 1), folder / "teacher");
  const std::string teacher = (folder / "teacher").string();
  make_pairs({.config = small_run(StageChoice::kCausalOde, 1),
              .teacher = teacher,
              .out = folder / "pairs",
              .count = 2,
              .steps = 4,
              .progress = ProgressMode::kQuiet});
  const auto refused = [&](const std::function<void(Config&)>& spoil) {
    Config c = small_run(StageChoice::kCausalOde, 1);
    c.train.start_from = teacher;
    c.data.pairs = (folder / "pairs").string();
    spoil(c);
    return refusal_of([&] { train(c, folder / "run"); });
  };
  EXPECT_THAT(refused([](Config& c) { c.train.stage = StageChoice::kBidirectionalOde; }), HasSubstr("for causal_ode"));
  EXPECT_THAT(refused([](Config& c) { c.video.frames = 3; }), HasSubstr("latents of [6, 12, 8, 8]"));
  EXPECT_THAT(refused([](Config& c) { c.context.block_frames = 1; }), HasSubstr("this config has sink"));
  EXPECT_THAT(refused([](Config& c) { c.schedule.shift = 3; }), HasSubstr("stored at timesteps 1000, 937.5"));
  EXPECT_THAT(refused([](Config& c) { c.data.pairs = ""; }), HasSubstr("sgf pairs"));
  EXPECT_THAT(refused([](Config& c) { c.data.pairs = "/nowhere"; }), HasSubstr("contains no ODE pairs"));
  EXPECT_THAT(refused([](Config& c) { c.train.start_from = ""; }), HasSubstr("train.start_from"));
}

TEST(TrainRun, ARunAlongACosineKeepsItsLengthAndAConstantOneMayGrow) {
  for (const RateDecay decay : {RateDecay::kCosine, RateDecay::kConstant}) {
    const TemporaryFolder folder;
    Config c = small_run(StageChoice::kFlowMatching, 2);
    c.optimiser.decay = decay;
    train(c, folder / "run", false, 1);
    c.train.steps = 3;
    const auto resume = [&] { train(c, folder / "run", true); };
    if (decay == RateDecay::kConstant) {
      EXPECT_NO_THROW(resume());
    } else {
      EXPECT_THAT(refusal_of(resume), HasSubstr("train.steps was 2 and is now 3"));
      c.train.steps = 2;
      EXPECT_NO_THROW(resume());
    }
  }
}

TEST(TrainRun, AFolderOfAnotherConfigIsRefusedByItsKeys) {
  const TemporaryFolder folder;
  Config c = small_run(StageChoice::kFlowMatching, 2);
  train(c, folder / "run");
  EXPECT_THAT(refusal_of([&] { train(c, folder / "run"); }), HasSubstr("--resume"));
  c.optimiser.learning_rate = 2e-3;
  EXPECT_THAT(refusal_of([&] { train(c, folder / "run", true); }), HasSubstr("optimiser.learning_rate"));
  c.optimiser.learning_rate = 1e-3;
  c.train.steps = 3;  // may change
  EXPECT_EQ(train(c, folder / "run", true).steps_done, 3);
}

TEST(TrainRun, WhatCannotWorkIsRefusedAndLeavesNoFolder) {
  const TemporaryFolder folder;
  train(small_run(StageChoice::kFlowMatching, 1), folder / "teacher");
  const auto refused = [&](const std::function<void(Config&)>& spoil) {
    Config c = small_run(StageChoice::kDmd, 2);
    c.train.start_from = c.dmd.teacher = (folder / "teacher").string();
    spoil(c);
    const std::string words = refusal_of([&] { train(c, folder / "run"); });
    EXPECT_FALSE(fs::exists(folder / "run")) << words;
    return words;
  };
  EXPECT_THAT(refused([](Config& c) { c.dmd.teacher = ""; }), HasSubstr("dmd.teacher"));
  EXPECT_THAT(refused([](Config& c) { c.dmd.teacher = "/nowhere"; }), HasSubstr("/nowhere"));
  EXPECT_THAT(refused([](Config& c) { c.data.prompts = "/nowhere.txt"; }), HasSubstr("/nowhere.txt"));
  EXPECT_THAT(refused([](Config& c) { c.data.world = ""; }), HasSubstr("data.world"));
  EXPECT_THAT(refused([](Config& c) { c.model.dim = 48; }), HasSubstr("another architecture"));
  EXPECT_THAT(refused([](Config& c) { c.video.height = 4; }), HasSubstr("video.height"));
  std::ofstream(folder / "empty.txt").close();
  EXPECT_THAT(refused([&](Config& c) { c.data.prompts = (folder / "empty.txt").string(); }), HasSubstr("no prompt"));
  std::ofstream(folder / "odd.txt") << "a fast red elephant on a black field\n";
  EXPECT_THAT(refused([&](Config& c) { c.data.prompts = (folder / "odd.txt").string(); }), HasSubstr("elephant"));
}

}  // namespace
}  // namespace sgf
