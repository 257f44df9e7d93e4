#include "sgf/core/cpu_tiles.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <optional>
#include <string>

namespace sgf {
namespace {

constexpr const char* kIsa = "ONEDNN_MAX_CPU_ISA";

// Each test begins without a word of the user's, and leaves the one that was there.
class UndescribedTiles : public testing::Test {
 protected:
  void SetUp() override {
    if (const char* word = std::getenv(kIsa)) before_ = word;
    unsetenv(kIsa);
  }
  void TearDown() override {
    unsetenv(kIsa);
    if (before_) setenv(kIsa, before_->c_str(), 1);
  }
  static std::string word() { return std::getenv(kIsa) ? std::getenv(kIsa) : ""; }

  std::optional<std::string> before_;
};

TEST_F(UndescribedTiles, AreNotUsed) {
  avoid_undescribed_tiles({.are_offered = true, .palettes = 0});
  EXPECT_EQ(word(), "AVX512_CORE_FP16");
}

TEST_F(UndescribedTiles, DescribedOnesAreLeftAloneAndSoIsACpuWithoutAny) {
  avoid_undescribed_tiles({.are_offered = true, .palettes = 1});
  EXPECT_EQ(word(), "");
  avoid_undescribed_tiles({.are_offered = false, .palettes = 0});
  EXPECT_EQ(word(), "");
}

TEST_F(UndescribedTiles, TheUsersOwnWordStays) {
  setenv(kIsa, "AVX2", 1);
  avoid_undescribed_tiles({.are_offered = true, .palettes = 0});
  EXPECT_EQ(word(), "AVX2");
}

}  // namespace
}  // namespace sgf
