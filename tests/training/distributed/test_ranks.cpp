// Ranks as real processes on this host: what they compute together, and how the end of one ends the others.
#include "sgf/training/distributed/ranks.h"

#include "sgf/core/device.h"
#include "sgf/core/noise.h"
#include "sgf/kernels/noise_fill.h"
#include "sgf/training/distributed/rank_groups.h"
#include "sgf/training/distributed/tensor_buckets.h"
#include "tests/core/refusal.h"
#include "tests/training/distributed/rank_processes.h"

#include <ATen/ATen.h>
#include <gmock/gmock.h>

#include <cmath>
#include <iterator>
#include <set>

namespace sgf {
namespace {

using testing::add_rank_action;
using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::kDone;
using testing::kEndedByWatch;
using testing::kFailed;
using testing::kLostAnother;
using testing::rank_test_settings;
using testing::RankProcesses;

class RanksAsProcesses : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!has_gloo()) GTEST_SKIP() << "this build was made without the headers of Gloo (libgloo-dev)";
  }
};

// Several buckets of 256 bytes: dtypes in turn, one tensor larger than a bucket, one transposed, one empty.
std::vector<at::Tensor> tensors_of(int64_t rank, at::Device device = at::kCPU) {
  const auto draw = [&](int64_t index, at::IntArrayRef shape, at::ScalarType dtype) {
    return normal({.seed = 5, .purpose = NoisePurpose::kTest, .sample = 100 * rank + index}, shape,
                  at::TensorOptions(dtype).device(device));
  };
  return {draw(0, {3, 5}, at::kFloat), draw(1, {7}, at::kFloat),         draw(2, {2}, at::kDouble),
          draw(3, {300}, at::kDouble), draw(4, {6, 4}, at::kDouble).t(), at::zeros({0}, at::TensorOptions(device)),
          draw(5, {40}, at::kFloat),   draw(6, {}, at::kFloat)};
}

void check_sum(const Ranks& ranks, const std::filesystem::path& folder) {
  std::vector<at::Tensor> sums = tensors_of(ranks.rank());
  ranks.sum(sums);
  std::ofstream bits(folder / fmt::format("sum-{}", ranks.rank()), std::ios::binary);
  for (size_t i = 0; i < sums.size(); ++i) {
    at::Tensor expected = at::zeros_like(sums[i]);
    for (int64_t rank = 0; rank < ranks.size(); ++rank) expected += tensors_of(rank)[i];
    SGF_CHECK(at::allclose(sums[i], expected, 1e-5, 1e-6), "the sum of tensor {} is wrong", i);
    const at::Tensor flat = sums[i].contiguous();
    bits.write(static_cast<const char*>(flat.data_ptr()), static_cast<std::streamsize>(flat.nbytes()));
  }
}

void check_broadcast(const Ranks& ranks) {
  std::vector<at::Tensor> tensors = tensors_of(ranks.rank());
  ranks.broadcast(tensors);
  const std::vector<at::Tensor> expected = tensors_of(0);
  for (size_t i = 0; i < tensors.size(); ++i)
    SGF_CHECK(at::equal(tensors[i], expected[i]), "tensor {} is not that of rank 0", i);
}

void check_metrics(const Ranks& ranks) {
  const auto rank = static_cast<double>(ranks.rank()), last = static_cast<double>(ranks.size() - 1);
  const auto rows = ranks.gather({rank, 0.1 * rank});
  for (size_t i = 0; i < rows.size(); ++i)
    SGF_CHECK((rows[i] == std::vector<double>{double(i), 0.1 * double(i)}), "row {} of the gathered is wrong", i);
  SGF_CHECK(static_cast<int64_t>(rows.size()) == ranks.size(), "{} rows", rows.size());
  const auto long_rows = ranks.gather(std::vector<double>(100, rank));
  for (size_t i = 0; i < long_rows.size(); ++i)
    SGF_CHECK(long_rows[i] == std::vector<double>(100, double(i)), "long row {} of the gathered is wrong", i);
  SGF_CHECK(ranks.sum(rank) == last * (last + 1) / 2, "the sum of the ranks is {}", ranks.sum(rank));
  SGF_CHECK(ranks.max(-rank) == 0 && ranks.max(rank) == last, "the largest rank is {}", ranks.max(rank));
  SGF_CHECK(std::isnan(ranks.max(rank == 1 ? NAN : rank)), "a NaN got lost");
  SGF_CHECK(ranks.any(ranks.rank() == 1), "rank 1 was not heard");
  SGF_CHECK(!ranks.any(false), "nobody said yes");
}

void check_barrier(const Ranks& ranks, const std::filesystem::path& folder) {
  const std::filesystem::path mark = folder / "mark";
  if (ranks.is_first()) {
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    std::ofstream(mark) << "here";
  }
  ranks.barrier();
  SGF_CHECK(std::filesystem::exists(mark), "a barrier let rank {} through", ranks.rank());
}

const bool kOperations = add_rank_action("operations", [](const Ranks& ranks, const std::filesystem::path& folder) {
  check_sum(ranks, folder);
  check_broadcast(ranks);
  check_metrics(ranks);
  check_barrier(ranks, folder);
});

int64_t victim() { return std::stoll(std::getenv("SGF_RANK_VICTIM")); }

// A run without end; says when it is under way.
void train_forever(const Ranks& ranks, const std::filesystem::path& folder) {
  for (int64_t step = 0;; ++step) {
    std::vector<at::Tensor> sums = tensors_of(ranks.rank());
    ranks.sum(sums);
    if (step == 3) std::ofstream(folder / fmt::format("running-{}", ranks.rank())) << step;
  }
}

const bool kForever = add_rank_action("forever", train_forever);

const bool kThrowing = add_rank_action("throw", [](const Ranks& ranks, const std::filesystem::path& folder) {
  ranks.barrier();
  SGF_CHECK(ranks.rank() != victim(), "the disk is full");
  train_forever(ranks, folder);
});

const bool kLeaving = add_rank_action("leave", [](const Ranks& ranks, const std::filesystem::path& folder) {
  ranks.barrier();
  if (ranks.rank() != victim()) train_forever(ranks, folder);
});

const bool kLate = add_rank_action("late", [](const Ranks& ranks, const std::filesystem::path& folder) {
  ranks.barrier();
  if (ranks.rank() != victim()) train_forever(ranks, folder);
  for (;; std::this_thread::sleep_for(std::chrono::milliseconds(50))) ranks.check_alive();
});

const bool kLongForward = add_rank_action("long_forward", [](const Ranks& ranks, const std::filesystem::path& folder) {
  ranks.barrier();
  std::ofstream(folder / fmt::format("running-{}", ranks.rank())) << "here";
  std::this_thread::sleep_for(std::chrono::minutes(10));
});

const bool kMismatch = add_rank_action("mismatch", [](const Ranks& ranks, const std::filesystem::path&) {
  std::vector<at::Tensor> sums = tensors_of(ranks.rank());
  if (ranks.rank() == 1) sums.pop_back();
  ranks.sum(sums);
});

const bool kDifferent = add_rank_action("different_collectives", [](const Ranks& ranks, const std::filesystem::path&) {
  std::vector<at::Tensor> sums = tensors_of(ranks.rank());
  if (ranks.is_first())
    ranks.sum(sums);
  else
    ranks.gather(std::vector<double>(20, 1.0));
});

// "loopback" or "all" for each TCP socket that this process listens on, as the system sees it.
std::string listening_places() {
  std::set<std::string> own;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    std::error_code gone;  // the folder's own descriptor
    own.insert(std::filesystem::read_symlink(entry.path(), gone).string());
  }
  std::string places;
  for (const char* table : {"/proc/self/net/tcp", "/proc/self/net/tcp6"}) {
    std::ifstream in(table);
    for (std::string line; std::getline(in, line);) {
      std::istringstream fields(line);
      std::vector<std::string> field{std::istream_iterator<std::string>(fields), {}};
      constexpr size_t kLocal = 1, kState = 3, kInode = 9;
      if (field.size() <= kInode || field[kState] != "0A" || !own.contains("socket:[" + field[kInode] + "]")) continue;
      const std::string address = field[kLocal].substr(0, field[kLocal].find(':'));
      const bool is_here =
          address.size() == 8 ? address.ends_with("7F") : address == "00000000000000000000000001000000";
      places += is_here ? "loopback " : "all ";
    }
  }
  return places;
}

const bool kListen = add_rank_action("listen", [](const Ranks& ranks, const std::filesystem::path& folder) {
  ranks.barrier();
  std::ofstream(folder / fmt::format("listening-{}", ranks.rank())) << listening_places();
  const int open = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  ::listen(open, 1);
  std::ofstream(folder / fmt::format("control-{}", ranks.rank())) << listening_places();
  ::close(open);
});

TEST_F(RanksAsProcesses, TwoAndThreeSumShareAndWaitForOneAnother) {
  for (const int64_t size : {2, 3}) {
    RankProcesses first("operations", size), second("operations", size);
    for (size_t rank = 0; rank < static_cast<size_t>(size); ++rank) {
      EXPECT_EQ(first.code(rank), kDone) << first.output(rank);
      EXPECT_EQ(second.code(rank), kDone) << second.output(rank);
      const std::string file = "sum-" + std::to_string(rank);
      EXPECT_FALSE(first.text(file).empty());
      EXPECT_EQ(first.text(file), first.text("sum-0")) << "ranks hold different bits";
      EXPECT_EQ(first.text(file), second.text(file)) << "a second run made other bits";
    }
  }
}

void expect_all_to_end_naming(int64_t killed) {
  RankProcesses ranks("forever", 3);
  for (const char* file : {"running-0", "running-1", "running-2"}) ASSERT_TRUE(ranks.await(file));
  ranks.kill(static_cast<size_t>(killed));
  const std::string name = fmt::format("rank {} (host ", killed);
  for (size_t rank = 0; rank < 3; ++rank) {
    if (static_cast<int64_t>(rank) == killed) continue;
    EXPECT_EQ(ranks.code(rank), kLostAnother) << ranks.output(rank);
    EXPECT_THAT(ranks.output(rank), AllOf(HasSubstr(name), HasSubstr("pid " + ranks.pid(static_cast<size_t>(killed)))));
  }
  EXPECT_EQ(ranks.code(static_cast<size_t>(killed)), -SIGKILL);
}

TEST_F(RanksAsProcesses, AKilledRankEndsTheOthersWithItsName) { expect_all_to_end_naming(1); }

TEST_F(RanksAsProcesses, AKilledRankThatKeptTheStoreDoesToo) { expect_all_to_end_naming(0); }

TEST_F(RanksAsProcesses, ARankThatThrowsLeavesItsReason) {
  for (const char* victim : {"0", "1"}) {
    RankProcesses ranks("throw", 3, {{"SGF_RANK_VICTIM", victim}});
    for (size_t rank = 0; rank < 3; ++rank) {
      const bool threw = std::to_string(rank) == victim;
      EXPECT_EQ(ranks.code(rank), threw ? kFailed : kLostAnother) << ranks.output(rank);
      EXPECT_THAT(ranks.output(rank), HasSubstr("the disk is full"));
      const std::string named = fmt::format("rank {} (host ", victim);
      EXPECT_EQ(ranks.output(rank).find(named) == std::string::npos, threw) << ranks.output(rank);
    }
  }
}

TEST_F(RanksAsProcesses, ARankThatLeavesEarlyIsNamed) {
  RankProcesses ranks("leave", 2, {{"SGF_RANK_VICTIM", "1"}});
  EXPECT_EQ(ranks.code(0), kLostAnother);
  EXPECT_THAT(ranks.output(0), AllOf(HasSubstr("rank 1 (host "), HasSubstr("has left the run")));
  EXPECT_EQ(ranks.code(1), kDone) << ranks.output(1);
}

TEST_F(RanksAsProcesses, ARankThatLivesButDoesNotComeIsNamedOnceThePatienceIsOver) {
  RankProcesses ranks("late", 2, {{"SGF_RANK_VICTIM", "1"}});
  for (size_t rank = 0; rank < 2; ++rank) {
    EXPECT_EQ(ranks.code(rank), kLostAnother) << ranks.output(rank);
    EXPECT_THAT(ranks.output(rank), HasSubstr("for rank 1 (host "));
    EXPECT_THAT(ranks.output(rank), HasSubstr("alive but did not join"));
  }
}

TEST_F(RanksAsProcesses, ADeathIsHeardInTheMiddleOfLongWork) {
  RankProcesses ranks("long_forward", 2);
  for (const char* file : {"running-0", "running-1"}) ASSERT_TRUE(ranks.await(file));
  ranks.kill(1);
  EXPECT_EQ(ranks.code(0), kEndedByWatch);
  EXPECT_THAT(ranks.output(0), HasSubstr("rank 1 (host "));
}

TEST_F(RanksAsProcesses, SumsOfDifferentTensorsAreRefusedBeforeTheyMix) {
  RankProcesses ranks("mismatch", 2);
  for (size_t rank = 0; rank < 2; ++rank) {
    EXPECT_EQ(ranks.code(rank), kFailed) << ranks.output(rank);
    EXPECT_THAT(ranks.output(rank), AllOf(HasSubstr("rank 1 (host "), HasSubstr(") sums 7 tensors"),
                                          HasSubstr("rank 0 (host "), HasSubstr(") sums 8 tensors")));
  }
}

// Gloo would end one of the processes by an exception in a thread of its own.
TEST_F(RanksAsProcesses, RanksThatCameToDifferentCollectivesSaySo) {
  RankProcesses ranks("different_collectives", 2);
  for (size_t rank = 0; rank < 2; ++rank) {
    EXPECT_EQ(ranks.code(rank), kFailed) << ranks.output(rank);
    EXPECT_THAT(ranks.output(rank), AllOf(HasSubstr(") sums 8 tensors"), HasSubstr(") exchanges 20 numbers")));
  }
}

TEST_F(RanksAsProcesses, RanksOfDifferentWorldsAllNameBothSizes) {
  RankProcesses ranks("forever", 2, {}, {{1, {{"WORLD_SIZE", "3"}}}});
  for (size_t rank = 0; rank < 2; ++rank) {
    EXPECT_EQ(ranks.code(rank), kFailed) << ranks.output(rank);
    EXPECT_THAT(ranks.output(rank), AllOf(HasSubstr("WORLD_SIZE differs among the ranks"),
                                          HasSubstr("2 on rank 0 (host "), HasSubstr("3 on rank 1 (host ")));
  }
}

// Its own number of ranks does not even count it.
TEST_F(RanksAsProcesses, ARankBeyondItsOwnWorldEndsAllToo) {
  RankProcesses ranks("forever", 2, {}, {{1, {{"WORLD_SIZE", "1"}}}});
  for (size_t rank = 0; rank < 2; ++rank) {
    EXPECT_EQ(ranks.code(rank), kFailed) << ranks.output(rank);
    EXPECT_THAT(ranks.output(rank), AllOf(HasSubstr("WORLD_SIZE differs among the ranks"),
                                          HasSubstr("2 on rank 0 (host "), HasSubstr("1 on rank 1 (host ")));
  }
}

TEST_F(RanksAsProcesses, ARankBeyondItsWorldIsRefusedWithoutOthers) {
  const testing::HeldPort port;
  RankSettings settings = rank_test_settings();
  settings.resolve = std::chrono::milliseconds(300);
  EXPECT_THAT(refusal_of([&] { Ranks(RankPlace{.rank = 1, .port = port.number()}, settings); }),
              HasSubstr("RANK is 1 with 1 ranks"));
}

// It may come when the two have met already.
TEST_F(RanksAsProcesses, ARankBeyondTheWorldOfTheOthersEndsAll) {
  RankProcesses ranks("forever", 3, {{"WORLD_SIZE", "2"}}, {{2, {{"WORLD_SIZE", "3"}}}});
  for (size_t rank = 0; rank < 3; ++rank) {
    const auto code = ranks.code(rank);
    EXPECT_TRUE(code && *code > kDone) << ranks.output(rank);
    EXPECT_THAT(ranks.output(rank), AllOf(HasSubstr("2 on rank "), HasSubstr("3 on rank 2 (host ")));
  }
}

TEST_F(RanksAsProcesses, NobodyListensBeyondTheLoopbackWhereTheMasterIsThere) {
  for (const char* address : {"127.0.0.1", "localhost", "127.1"}) {  // the last is resolved, as a name is
    RankProcesses ranks("listen", 2, {{"MASTER_ADDR", address}});
    for (size_t rank = 0; rank < 2; ++rank) {
      EXPECT_EQ(ranks.code(rank), kDone) << ranks.output(rank);
      EXPECT_THAT(ranks.text(fmt::format("listening-{}", rank)), HasSubstr("loopback"));
      EXPECT_EQ(ranks.text(fmt::format("listening-{}", rank)).find("all"), std::string::npos) << address;
      EXPECT_THAT(ranks.text(fmt::format("control-{}", rank)), HasSubstr("all")) << "an open socket is not seen";
    }
  }
}

TEST_F(RanksAsProcesses, ARankThatNeverComesIsNamed) {
  const testing::HeldPort port;
  const RankPlace place{.size = 2, .port = port.number()};
  RankSettings settings = rank_test_settings();
  settings.start = std::chrono::seconds(1);
  EXPECT_THAT(refusal_of([&] { Ranks(place, settings); }), HasSubstr("missing: rank 1"));
}

void expect_sum_of_one(at::Device device) {
  const testing::HeldPort port;
  RankSettings settings = rank_test_settings();
  settings.group_of_one = true;
  const Ranks ranks(RankPlace{.port = port.number()}, settings);
  std::vector<at::Tensor> sums = tensors_of(0, device);
  ranks.sum(sums);
  ranks.broadcast(sums);
  const std::vector<at::Tensor> expected = tensors_of(0, device);
  for (size_t i = 0; i < sums.size(); ++i) EXPECT_TRUE(at::equal(sums[i], expected[i])) << i;
}

TEST_F(RanksAsProcesses, AGroupOfOneSumsToItself) { expect_sum_of_one(at::kCPU); }

// All that one GPU can show of NCCL: that groups are made and collectives come back. Gloo proves the arithmetic.
TEST_F(RanksAsProcesses, AGroupOfOneSumsToItselfThroughNccl) {
  if (!cuda_is_available() || !has_nccl()) GTEST_SKIP() << "needs a GPU and a build with NCCL";
  expect_sum_of_one(at::Device(at::kCUDA, 0));
}

TEST(Ranks, AProcessOnItsOwnKeepsWhatItHas) {
  const Ranks& ranks = Ranks::alone();
  std::vector<at::Tensor> tensors = tensors_of(0);
  ranks.sum(tensors);
  ranks.broadcast(tensors);
  EXPECT_TRUE(at::equal(tensors[3], tensors_of(0)[3]));
  EXPECT_EQ(ranks.sum(2.5), 2.5);
  EXPECT_EQ(ranks.max(-1.0), -1.0);
  EXPECT_TRUE(ranks.any(true));
  EXPECT_FALSE(ranks.any(false));
  EXPECT_EQ(ranks.gather({1, 2}), (std::vector<std::vector<double>>{{1, 2}}));
  EXPECT_EQ(ranks.share_of(5), (SampleShare{0, 5}));
  EXPECT_TRUE(ranks.is_first());
  ranks.barrier();
  ranks.check_alive();
}

TEST(TensorBuckets, FlatBuffersHoldNeighboursOfOneDtypeUpToTheirSize) {
  std::vector<at::Tensor> tensors = tensors_of(0);
  std::vector<int64_t> sizes;
  for_each_bucket(tensors, 256, [&](at::Tensor& flat) {
    sizes.push_back(flat.numel());
    flat.mul_(2);
  });
  // 15 + 7 floats; 2 doubles; 300 are too many for company; 24 doubles; 0 + 40 + 1 floats
  EXPECT_THAT(sizes, ::testing::ElementsAre(22, 2, 300, 24, 41));
  const std::vector<at::Tensor> before = tensors_of(0);
  for (size_t i = 0; i < tensors.size(); ++i) EXPECT_TRUE(at::equal(tensors[i], before[i] * 2)) << i;
}

}  // namespace
}  // namespace sgf
