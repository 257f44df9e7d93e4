#include "sgf/core/device.h"
#include "tests/core/refusal.h"

#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sgf {
namespace {

using ::testing::HasSubstr;

TEST(Device, IsOneOfFourWords) {
  for (const char* name : {"auto", "cpu", "cuda", "cuda:0", "cuda:12"}) EXPECT_TRUE(is_device_name(name)) << name;
  for (const char* name : {"", "gpu", "cpu:7", "cpu:0", "cuda:", "cuda:x", "cuda:-1", "cuda:1234", "CUDA", "mps"}) {
    EXPECT_FALSE(is_device_name(name)) << name;
    EXPECT_THAT(refusal_of([&] { device_from_name(name); }), HasSubstr("auto, cpu, cuda or cuda:N, got")) << name;
  }
}

TEST(Device, CpuIsAlwaysThere) { EXPECT_EQ(device_from_name("cpu").str(), "cpu"); }

TEST(Device, AGpuThatIsNotThereIsRefusedWithTheReason) {
  EXPECT_THAT(refusal_of([] { device_from_name("cuda:999"); }), HasSubstr("device 'cuda:999'"));
}

// Without avoid_undescribed_tiles this is an illegal instruction on a CPU that hides the layouts of its tiles.
TEST(Device, ACpuMultipliesInBfloat16WhateverItSaysOfItsTiles) {
  const at::Tensor a = at::arange(64 * 64, at::kFloat).reshape({64, 64}).div(4096);
  const at::Tensor exact = a.matmul(a), rounded = a.to(at::kBFloat16).matmul(a.to(at::kBFloat16)).to(at::kFloat);
  EXPECT_LT((rounded - exact).norm().item<double>(), 0.01 * exact.norm().item<double>());
}

}  // namespace
}  // namespace sgf
