// Bench lines: phases that add up, and comparison with an earlier file.
#include "sgf/bench/bench_compare.h"
#include "sgf/bench/bench_items.h"
#include "sgf/bench/bench_training.h"
#include "sgf/core/error.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace sgf {
namespace {

using nlohmann::json;

PassesSettings tiny_setting() {
  return {.model = dit_preset("tiny"),
          .model_name = "tiny",
          .policy = {.sink_frames = 1, .fifo_frames = 2},
          .frames = 4,
          .block_frames = 1,
          .height = 4,
          .width = 4,
          .dtype = at::kFloat,
          .repeats = 1,
          .exit_step = 2};
}

double sum_of_phases(const json& line) {
  double sum = 0;
  for (const auto& [phase, spent] : line["phases_ms"].items()) sum += spent.get<double>();
  return sum;
}

TEST(TrainingBench, PhasesOfACycleAreThoseOfBothUpdatesAndAddUpToTheWhole) {
  PassesSettings setting = tiny_setting();
  setting.repeats = 1;  // medians of several would not add up
  const json line = TrainingBench(setting, training_inputs(setting)).run("cycle");
  for (const char* phase : {"critic_rollout", "critic_forward", "critic_backward", "critic_optimiser", "rollout",
                            "reconstruct", "score", "backward", "optimiser"})
    EXPECT_GT(line["phases_ms"].value(phase, 0.0), 0) << phase;
  EXPECT_EQ(line["phases_ms"].size(), 9u);
  EXPECT_NEAR(sum_of_phases(line), line["p50_ms"].get<double>(), 0.25 * line["p50_ms"].get<double>())
      << "but for a pause between two";
}

// Beside what only one kind of work has.
TEST(Bench, LinesOfPassesAndOfTrainingNameTheirFieldsAlike) {
  PassesSettings setting = tiny_setting();
  std::vector<json> lines;
  bench_passes(setting, {"rollout", "score"}, [&](const json& line) { lines.push_back(line); });
  ASSERT_EQ(lines.size(), 2u);
  for (json& line : lines)
    for (const char* own : {"steps", "masters", "phases_ms"}) line.erase(own);
  for (const auto& [key, value] : lines[0].items()) EXPECT_TRUE(lines[1].contains(key)) << key;
  for (const auto& [key, value] : lines[1].items()) EXPECT_TRUE(lines[0].contains(key)) << key;
  for (const char* same : {"model", "parameters", "threads", "activations", "memory", "latent", "sink"})
    EXPECT_EQ(lines[0].at(same), lines[1].at(same)) << same;
}

TEST(TrainingBench, AnExitThatTheScheduleLacksIsRefused) {
  PassesSettings setting = tiny_setting();
  setting.exit_step = 5;
  EXPECT_THROW(training_inputs(setting), Error);
}

TEST(TrainingBench, ARecordingGivesTheShape) {
  PassesSettings setting = tiny_setting();
  setting.recording = SGF_TEST_DATA "/reference/sgf_step_a.safetensors";
  const TrainingInputs inputs = training_inputs(setting);
  EXPECT_EQ(inputs.generator_inputs.score.noise.sizes(), at::IntArrayRef(inputs.latent));
  setting.recording = SGF_TEST_DATA "/reference/stage_flow_matching_a.safetensors";
  EXPECT_THROW(training_inputs(setting), Error);
}

TEST(VaeBench, CountsTheLatentsAndPicturesOfItsWork) {
  PassesSettings setting = tiny_setting();
  setting.vae_dim = 4;
  setting.block_frames = 2;
  const json decode = bench_vae(setting, "vae-decode"), encode = bench_vae(setting, "vae-encode");
  EXPECT_EQ(decode["video_frames"], 8);  // in the middle of a stream, four a latent
  EXPECT_EQ(encode["video_frames"], 13);
  for (const json& line : {decode, encode})
    EXPECT_NEAR(line["ms_per_latent"].get<double>() * line["frames"].get<double>(), line["p50_ms"].get<double>(), 1e-6);
}

class EarlierFile : public ::testing::Test {
 protected:
  void SetUp() override { path_ = std::filesystem::path(::testing::TempDir()) / "sgf_earlier_bench.jsonl"; }
  void TearDown() override { std::filesystem::remove(path_); }

  EarlierBench holding(const std::string& text) {
    std::ofstream(path_) << text;
    return EarlierBench::read(path_);
  }

  std::string refusal(const std::string& text) {
    try {
      holding(text);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  }

  std::filesystem::path path_;
};

const json kLine{{"item", "score"}, {"device", "cpu"}, {"dtype", "float32"}, {"frames", 21}, {"p50_ms", 20.0}};

json with(json line, const char* key, const json& value) {
  line[key] = value;
  return line;
}

TEST_F(EarlierFile, TheSameWorkIsComparedAndOtherWorkIsNot) {
  const EarlierBench earlier = holding(with(kLine, "p50_ms", 30.0).dump() + "\n\n");
  EXPECT_DOUBLE_EQ(earlier.against(kLine)["ratio"].get<double>(), 1.5);
  for (const auto& [key, value] : {std::pair<const char*, json>{"item", "cycle"},
                                   {"device", "cuda"},
                                   {"dtype", "bfloat16"},
                                   {"frames", 24},
                                   {"exit", 2}}) {
    const json other = earlier.against(with(kLine, key, value));
    EXPECT_TRUE(other.contains("note") && !other.contains("ratio")) << key;
  }
}

TEST_F(EarlierFile, MayBeOlderThanTheWordOnActivations) {
  const EarlierBench older = holding(kLine.dump()), newer = holding(with(kLine, "activations", "keep").dump());
  const json now = with(kLine, "activations", "recompute");
  EXPECT_TRUE(older.against(now).contains("ratio"));
  EXPECT_FALSE(newer.against(now).contains("ratio"));
}

TEST_F(EarlierFile, OfSeveralLinesTheLastCounts) {
  const EarlierBench earlier = holding(with(kLine, "p50_ms", 30.0).dump() + "\n" + with(kLine, "p50_ms", 10.0).dump());
  EXPECT_DOUBLE_EQ(earlier.against(kLine)["ratio"].get<double>(), 0.5);
}

TEST_F(EarlierFile, LinesWithoutTimesAreNeitherComparedNorRefused) {
  const EarlierBench earlier = holding(R"({"item": "recovery", "cosine": 1})");
  EXPECT_TRUE(earlier.against({{"item", "recovery"}}).is_null());
}

TEST_F(EarlierFile, WhatIsNoBenchLineIsRefusedByItsNumber) {
  const std::string good = kLine.dump() + "\n";
  EXPECT_NE(refusal(good + "{\"item\": ").find("line 2"), std::string::npos);
  EXPECT_NE(refusal(good + good + "[1]").find("line 3"), std::string::npos);
  EXPECT_NE(refusal(R"({"p50_ms": 3})").find("item"), std::string::npos);
  EXPECT_NE(refusal(with(kLine, "p50_ms", "fast").dump()).find("p50_ms"), std::string::npos);
  EXPECT_NE(refusal(with(kLine, "p50_ms", 0).dump()).find("p50_ms"), std::string::npos);
  EXPECT_NE(refusal("").find("no line"), std::string::npos);
  EXPECT_EQ(refusal(good), "");
  EXPECT_THROW(EarlierBench::read(path_ / "absent"), Error);
}

}  // namespace
}  // namespace sgf
