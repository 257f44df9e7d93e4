#include "sgf/core/device.h"
#include "tests/core/refusal.h"

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

}  // namespace
}  // namespace sgf
