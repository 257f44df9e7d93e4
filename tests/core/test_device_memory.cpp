// A measurement's peak is its own: what ran before it does not count.
#include "sgf/core/device_memory.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

namespace sgf {
namespace {

constexpr int64_t kMebibyte = int64_t{1} << 20;

// Memory that was written to, so that it is resident, and is given back at once.
void touch(int64_t mebibytes) { at::ones({mebibytes * kMebibyte}, at::kByte); }

TEST(DeviceMemory, PeakOnTheCpuForgetsWhatRanBeforeTheReset) {
  if (!reset_peak_memory(at::kCPU)) GTEST_SKIP() << "this system lets no process reset its peak";
  const int64_t before = peak_memory_bytes(at::kCPU);
  touch(256);
  const int64_t large = peak_memory_bytes(at::kCPU) - before;
  EXPECT_GE(large, 250 * kMebibyte);
  reset_peak_memory(at::kCPU);
  touch(64);
  const int64_t small = peak_memory_bytes(at::kCPU) - before;
  EXPECT_GE(small, 60 * kMebibyte);
  EXPECT_LE(small, 128 * kMebibyte);
}

}  // namespace
}  // namespace sgf
