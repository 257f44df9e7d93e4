// What tensors hold at once, on the CPU too, where the allocator does not count.
#include "sgf/core/memory_watch.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

namespace sgf {
namespace {

TEST(MemoryWatch, CountsTheLargestSumOfTensorsOnTheCpu) {
  const MemoryWatch watch(c10::Device("cpu"));
  const at::Tensor first = at::empty({1024}, at::kDouble);
  { const at::Tensor second = at::empty({2048}, at::kDouble); }
  const at::Tensor third = at::empty({512}, at::kDouble);
  EXPECT_GE(watch.peak_bytes(), 3 * 1024 * 8);
  EXPECT_LT(watch.peak_bytes(), 3 * 1024 * 8 + 1024);
}

}  // namespace
}  // namespace sgf
