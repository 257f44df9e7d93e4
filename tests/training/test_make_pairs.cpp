// ODE pairs: what a path keeps, what a folder holds, how making goes on after a kill, and who reads them.
#include "sgf/training/make_pairs.h"

#include "sgf/assembly/start_file.h"
#include "sgf/core/error.h"
#include "sgf/dataset/pair_source.h"
#include "sgf/files/sha256.h"
#include "sgf/rollout/solver_walk.h"
#include "tests/core/refusal.h"
#include "tests/core/temporary_folder.h"
#include "tests/training/small_run.h"

#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <fstream>
#include <limits>
#include <set>

namespace sgf {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using testing::small_run;
using testing::TemporaryFolder;
using testing::train;

// A flow that only depends on the time: Euler's steps then end where its sum over the grid says.
TEST(OdePath, KeepsTheStatesBeforeTheStepsAskedForAndTheEnd) {
  const SolverGrid grid = euler_grid(48, 5);
  const std::vector<int64_t> kept = steps_at(grid, {1000, 937.5, 2500.0 / 3, 625});
  EXPECT_EQ(kept, std::vector<int64_t>({0, 12, 24, 36}));
  const at::Tensor noise = at::ones({1, 2, 1, 1, 1}, at::kDouble);
  const OdePath path = trace_path(grid, kept, noise, [](const at::Tensor& x, const at::Tensor&) { return x * 0 + 2; });
  ASSERT_EQ(path.states.sizes(), at::IntArrayRef({1, 4, 2, 1, 1, 1}));
  for (size_t k = 0; k < kept.size(); ++k)
    EXPECT_NEAR(path.states[0][static_cast<int64_t>(k)][0].item<double>(),
                1 - 2 * (1 - grid.sigmas[static_cast<size_t>(kept[k])]), 1e-12);
  EXPECT_NEAR(path.end.flatten()[0].item<double>(), -1, 1e-12);
}

TEST(OdePath, ATimestepBetweenTheStepsIsRefused) {
  EXPECT_THAT(refusal_of([] {
                steps_at(euler_grid(50, 5), {1000, 937.5});
              }),
              HasSubstr("begins at the student's timestep 937.5"));
}

Config tiny_config(StageChoice stage) {
  Config c = small_run(stage, 1);
  c.train.global_batch = 2;
  return c;
}

class PairFolder : public ::testing::TestWithParam<StageChoice> {
 protected:
  void SetUp() override { train(tiny_config(StageChoice::kFlowMatching), folder_ / "teacher"); }
  PairRequest request(const std::string& name = "pairs") const {
    return {.config = tiny_config(GetParam()),
            .teacher = find_start_file(folder_ / "teacher").path.string(),  // of whatever stage
            .out = folder_ / name,
            .count = 5,
            .per_shard = 2,
            .guidance = 2,
            .steps = 8,
            .progress = ProgressMode::kQuiet};
  }
  std::string hash(const std::string& name, int64_t shard) const {
    return sha256_of_file(shard_file(folder_ / name, shard));
  }
  TemporaryFolder folder_;
};

TEST_P(PairFolder, HoldsEveryPairOnceAnEpochWithItsCaptionAndItsHash) {
  const PairResult result = make_pairs(request());
  EXPECT_EQ(result.made, 3);
  const PairManifest manifest = read_pair_manifest(folder_ / "pairs");
  EXPECT_EQ(manifest.shards.at(2).count, 1);
  EXPECT_EQ(manifest.shards.at(1).sha256, hash("pairs", 1));
  const PairSource source(folder_ / "pairs", 1);
  const PairBatch epoch = source.pairs(0, 5, at::kCPU);
  EXPECT_EQ(epoch.states.sizes(), at::IntArrayRef({5, 4, 6, 12, 8, 8}));
  EXPECT_EQ(epoch.data.defined(), GetParam() == StageChoice::kCausalOde);
  std::set<double> ends;
  for (int64_t i = 0; i < 5; ++i) ends.insert(epoch.end[i].sum().item<double>());
  EXPECT_EQ(ends.size(), 5U);
  EXPECT_FALSE(epoch.captions.front().empty());
  EXPECT_FALSE(at::equal(PairSource(folder_ / "pairs", 2).pairs(0, 5, at::kCPU).end, epoch.end));  // another order
  EXPECT_TRUE(at::equal(source.pairs(3, 2, at::kCPU).end, epoch.end.slice(0, 3)));  // whoever asks, in what portions
}

TEST_P(PairFolder, OfMorePairsThanAnyDiskHoldsIsRefusedAndNotBegun) {
  PairRequest endless = request("endless");
  endless.count = std::numeric_limits<int64_t>::max();
  EXPECT_THAT(refusal_of([&] { make_pairs(endless); }), ::testing::HasSubstr("larger than any disk"));
  EXPECT_FALSE(std::filesystem::exists(endless.out));
  PairRequest request_of_one = request("one");
  request_of_one.per_shard = std::numeric_limits<int64_t>::max();  // the control: one shard of all
  EXPECT_EQ(make_pairs(request_of_one).whole, 1);
}

TEST_P(PairFolder, KeepsWholeShardsAndMakesTheOthersAgainToTheBit) {
  make_pairs(request());
  const std::string first = hash("pairs", 0), second = hash("pairs", 1), third = hash("pairs", 2);
  fs::remove(shard_mark(folder_ / "pairs", 0));  // killed before the mark
  fs::resize_file(shard_file(folder_ / "pairs", 1), 100);
  fs::remove(manifest_file(folder_ / "pairs"));
  EXPECT_THAT(refusal_of([&] { read_pair_manifest(folder_ / "pairs"); }), HasSubstr("2 of 3 shards are complete"));
  EXPECT_EQ(make_pairs(request()).made, 2);
  EXPECT_EQ(hash("pairs", 0), first);
  EXPECT_EQ(hash("pairs", 1), second);
  EXPECT_EQ(hash("pairs", 2), third);
  EXPECT_EQ(make_pairs(request()).made, 0);
}

TEST_P(PairFolder, IsRidOfWhatAKillLeftOfTheWorkersOwnShards) {
  PairRequest r = request();
  r.workers = 2;
  fs::create_directories(r.out);
  make_pairs(r);
  const auto half = [&](int64_t shard) {
    return r.out / ("." + shard_file(r.out, shard).filename().string() + ".123-0.tmp");
  };
  for (const int64_t shard : {0, 1}) std::ofstream(half(shard)) << "half";
  make_pairs(r);
  EXPECT_FALSE(fs::exists(half(0)));
  EXPECT_TRUE(fs::exists(half(1)));  // another worker may be at it
}

TEST_P(PairFolder, WithATornMarkMakesThatShardAgain) {
  make_pairs(request());
  const std::string second = hash("pairs", 1);
  std::ofstream(shard_mark(folder_ / "pairs", 1)) << "{\"form";
  EXPECT_EQ(make_pairs(request()).made, 1);
  EXPECT_EQ(hash("pairs", 1), second);
}

// Of the same size and with a sound header, but for one number.
TEST_P(PairFolder, ThatWasTamperedWithIsRefusedWhenThatShardIsRead) {
  make_pairs(request());
  std::fstream shard(shard_file(folder_ / "pairs", 1), std::ios::in | std::ios::out | std::ios::binary);
  shard.seekp(-3, std::ios::end);
  shard << 'x';
  shard.close();
  const PairSource source(folder_ / "pairs", 1);
  EXPECT_THAT(refusal_of([&] { source.pairs(0, 5, at::kCPU); }),
              HasSubstr("shard_000001.safetensors: does not match the manifest"));
  EXPECT_EQ(make_pairs(request()).made, 1);
  EXPECT_NO_THROW(PairSource(folder_ / "pairs", 1).pairs(0, 5, at::kCPU));
}

Config student(const TemporaryFolder& folder, StageChoice stage, const std::string& pairs) {
  Config c = tiny_config(stage);
  c.data.pairs = (folder / pairs).string();
  c.train.start_from = (folder / "teacher").string();
  c.train.steps = 6;
  return c;
}

// Two steps are four of the five pairs: the third goes on in the middle of an epoch.
TEST_P(PairFolder, IsLearntOnAfterAStopBitForBit) {
  make_pairs(request());
  train(student(folder_, GetParam(), "pairs"), folder_ / "whole", true);
  train(student(folder_, GetParam(), "pairs"), folder_ / "parts", true, 2);
  EXPECT_EQ(train(student(folder_, GetParam(), "pairs"), folder_ / "parts", true).steps_done, 6);
  for (const char* file : {"metrics.jsonl", "checkpoints/step_00000006/generator.safetensors"})
    EXPECT_EQ(sha256_of_file(folder_ / ("whole/" + std::string(file))),
              sha256_of_file(folder_ / ("parts/" + std::string(file))))
        << file;
}

TEST_P(PairFolder, ThatHoldsOthersSinceIsNotGoneOnWithWhileAMovedOneIs) {
  make_pairs(request());
  train(student(folder_, GetParam(), "pairs"), folder_ / "run", true, 1);
  fs::rename(folder_ / "pairs", folder_ / "moved");
  EXPECT_EQ(train(student(folder_, GetParam(), "moved"), folder_ / "run", true, 1).steps_done, 2);
  fs::remove_all(folder_ / "moved");
  PairRequest others = request("moved");
  others.guidance = 3;
  make_pairs(others);
  EXPECT_THAT(refusal_of([&] { train(student(folder_, GetParam(), "moved"), folder_ / "run", true); }),
              HasSubstr("data.pairs: the run started with other content in"));
}

TEST_P(PairFolder, IsMadeByManyWorkersAsByOne) {
  make_pairs(request());
  for (const int64_t worker : {1, 0}) {
    PairRequest part = request("parts");
    part.worker = worker;
    part.workers = 2;
    EXPECT_EQ(make_pairs(part).made, worker == 0 ? 2 : 1);
    EXPECT_EQ(fs::exists(manifest_file(folder_ / "parts")), worker == 0);  // the last one writes it
  }
  for (int64_t shard = 0; shard < 3; ++shard) EXPECT_EQ(hash("parts", shard), hash("pairs", shard));
}

TEST_P(PairFolder, OfAnotherOrderIsRefusedByWhatDiffers) {
  make_pairs(request());
  PairRequest other = request();
  other.guidance = 3;
  EXPECT_THAT(refusal_of([&] { make_pairs(other); }), HasSubstr("guidance is 2.0 in order.json, 3.0 in this command"));
  other = request();
  other.config.run.dtype = ComputeDtype::kFloat64;
  EXPECT_THAT(refusal_of([&] { make_pairs(other); }),
              HasSubstr(R"(dtype is "float32" in order.json, "float64" in this command)"));
  other = request();
  other.config.negative_prompt = "a red disc";
  EXPECT_THAT(refusal_of([&] { make_pairs(other); }),
              HasSubstr(R"(negative_prompt is "" in order.json, "a red disc" in this command)"));
  std::ofstream(folder_ / "teacher/thesis.txt") << "mine";
  other.out = folder_ / "teacher";
  EXPECT_THAT(refusal_of([&] { make_pairs(other); }), HasSubstr("files that are not pairs"));
}

INSTANTIATE_TEST_SUITE_P(Pairs, PairFolder, ::testing::Values(StageChoice::kCausalOde, StageChoice::kBidirectionalOde),
                         [](const auto& stage) { return std::string(enum_name(stage.param)); });

}  // namespace
}  // namespace sgf
