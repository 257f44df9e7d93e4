// Several processes make the update of one: tested with real ones.
#include "sgf/training/distributed/rank_groups.h"
#include "tests/core/refusal.h"
#include "tests/training/distributed/rank_processes.h"
#include "tests/training/tiny_stage.h"

#include <iomanip>

namespace sgf {
namespace {

using testing::add_rank_action;
using testing::kDone;
using testing::RankProcesses;
using testing::relative_l2;
using testing::stage;

constexpr int64_t kSteps = 3;

// The weights of both networks in one row, and the metrics of every step.
struct Trained {
  at::Tensor weights;
  std::vector<double> metrics;
};

Trained train(DmdStage run) {
  Trained out;
  for (int64_t step = 0; step < kSteps; ++step)
    for (const auto& [name, value] : run.step(step).metrics) out.metrics.push_back(value);
  std::vector<at::Tensor> parts;
  for (const Learner* network : {&run.generator(), &run.critic()})
    for (const auto& [name, tensor] : network->masters()) parts.push_back(tensor.detach().reshape(-1));
  out.weights = at::cat(parts);
  return out;
}

void write(const Trained& trained, const std::filesystem::path& file) {
  std::ofstream out(file);
  const at::Tensor weights = trained.weights.contiguous();
  out << std::setprecision(17) << trained.metrics.size();
  for (const double value : trained.metrics) out << ' ' << value;
  for (int64_t i = 0; i < weights.numel(); ++i) out << ' ' << weights.const_data_ptr<double>()[i];
}

Trained read(const std::string& text) {
  std::istringstream in(text);
  size_t count = 0;
  in >> count;
  std::vector<double> numbers;
  for (double value = 0; in >> value;) numbers.push_back(value);
  if (numbers.size() < count) return {};
  const auto split = numbers.begin() + static_cast<std::ptrdiff_t>(count);
  return {at::tensor(std::vector<double>(split, numbers.end()), at::kDouble), {numbers.begin(), split}};
}

const bool kTraining = add_rank_action("train", [](const Ranks& ranks, const std::filesystem::path& folder) {
  const int64_t global_batch = std::stoll(std::getenv("SGF_RANK_BATCH"));
  write(train(stage(global_batch, 1, at::kDouble, ranks)), folder / fmt::format("trained-{}", ranks.rank()));
});

void expect_close(const Trained& a, const Trained& b, double tolerance) {
  ASSERT_TRUE(a.weights.defined());
  ASSERT_EQ(a.weights.numel(), b.weights.numel());
  EXPECT_LT(relative_l2(a.weights, b.weights), tolerance);
  ASSERT_EQ(a.metrics.size(), b.metrics.size());
  for (size_t i = 0; i < a.metrics.size(); ++i)
    EXPECT_LE(std::abs(a.metrics[i] - b.metrics[i]), 1e-8 * std::abs(b.metrics[i]) + 1e-12) << "metric " << i;
}

// The bits of the ranks among themselves, and their numbers against one process that runs the whole batch.
void expect_the_update_of_one(size_t ranks, int64_t global_batch, const Trained& one, double tolerance) {
  RankProcesses processes("train", static_cast<int64_t>(ranks), {{"SGF_RANK_BATCH", std::to_string(global_batch)}});
  for (size_t rank = 0; rank < ranks; ++rank) {
    ASSERT_EQ(processes.code(rank), kDone) << processes.output(rank);
    const std::string text = processes.text(fmt::format("trained-{}", rank));
    EXPECT_TRUE(text == processes.text("trained-0")) << "rank " << rank << " holds other bits than rank 0";
    expect_close(read(text), one, tolerance);
  }
}

class RankedStage : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!has_gloo()) GTEST_SKIP() << "this build was made without the headers of Gloo (libgloo-dev)";
  }
};

TEST_F(RankedStage, TwoProcessesOfBatchOneMakeTheUpdateOfOneOfBatchTwo) {
  expect_the_update_of_one(2, 2, train(stage(2, 1, at::kDouble)), 1e-12);
  expect_close(train(stage(2, 1, at::kDouble)), train(stage(2, 2, at::kDouble)), 1e-9);
}

TEST_F(RankedStage, ThreeProcessesShareFourSamplesUnevenly) {
  expect_the_update_of_one(3, 4, train(stage(4, 1, at::kDouble)), 1e-9);
}

// The control: without the other's gradient the same steps lead elsewhere.
TEST_F(RankedStage, TheFirstRanksSampleAloneMakesAnotherUpdate) {
  EXPECT_GT(relative_l2(train(stage(1, 1, at::kDouble)).weights, train(stage(2, 1, at::kDouble)).weights), 1e-6);
}

TEST_F(RankedStage, ABatchThatLeavesARankWithoutASampleIsRefusedBeforeAnyWork) {
  RankProcesses processes("train", 2, {{"SGF_RANK_BATCH", "1"}});
  for (size_t rank = 0; rank < 2; ++rank) {
    EXPECT_NE(processes.code(rank), kDone);
    EXPECT_THAT(processes.output(rank), ::testing::HasSubstr("global batch of 1 is too small for 2 ranks"));
  }
}

}  // namespace
}  // namespace sgf
