#include "sgf/core/cpu_threads.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <limits>
#include <optional>
#include <string>

namespace sgf {
namespace {

constexpr double kBlockOfWorldSmall = 108.0 * 192 * 512;  // tokens x dim x ffn_dim
constexpr double kBatchOfDemo = 2.0 * 756 * 192 * 512;    // two clips of world-small
constexpr double kBlockOfWan = 4680.0 * 1536 * 8960;      // three latent frames of 480p
constexpr double kBatchOfWorldSmall = 64.0 * 756 * 192 * 512;

TEST(CpuThreads, SmallNetworksGetOneThreadOnAnyMachine) {
  for (const int64_t cores : {1, 2, 64}) {
    EXPECT_EQ(choose_threads(kBlockOfWorldSmall, cores), 1);
    EXPECT_EQ(choose_threads(kBatchOfDemo, cores), 1);
    EXPECT_EQ(choose_threads(0, cores), 1);
  }
}

TEST(CpuThreads, LargeNetworksGetAllCores) {
  for (const int64_t cores : {1, 2, 64}) EXPECT_EQ(choose_threads(kBlockOfWan, cores), cores);
  EXPECT_EQ(choose_threads(std::numeric_limits<double>::infinity(), 3), 3);
}

TEST(CpuThreads, BetweenTheTwoEachThreadHasWorkOfItsOwn) {
  EXPECT_EQ(choose_threads(kBatchOfWorldSmall, 8), 8);
  EXPECT_EQ(choose_threads(kBatchOfWorldSmall, 64), 18);
  EXPECT_EQ(choose_threads(kBatchOfWorldSmall, 0), 1) << "a machine that does not tell its cores has one";
}

TEST(CpuThreads, AQuotaCountsAsWholeCores) {
  EXPECT_EQ(cores_of_quota("200000 100000\n"), 2);
  EXPECT_EQ(cores_of_quota("150000 100000\n"), 2);
  EXPECT_EQ(cores_of_quota("50000 100000\n"), 1);
  for (const char* unlimited : {"max 100000\n", "", "-1 100000", "100000", "words"})
    EXPECT_EQ(cores_of_quota(unlimited), std::nullopt) << unlimited;
  EXPECT_GE(usable_cores(), 1);
}

TEST(CpuThreads, TheEnvironmentNamesANumberOrNot) {
  const char* word = std::getenv("OMP_NUM_THREADS");
  const std::optional<std::string> before = word == nullptr ? std::nullopt : std::optional<std::string>(word);
  ::setenv("OMP_NUM_THREADS", "2", 1);
  EXPECT_TRUE(environment_names_threads());
  if (std::getenv("MKL_NUM_THREADS") == nullptr) {
    ::unsetenv("OMP_NUM_THREADS");
    EXPECT_FALSE(environment_names_threads());
  }
  before ? ::setenv("OMP_NUM_THREADS", before->c_str(), 1) : ::unsetenv("OMP_NUM_THREADS");
}

}  // namespace
}  // namespace sgf
