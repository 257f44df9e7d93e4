// Recorded work gives what the work gives, with new numbers, new weights and other shapes.
#include "sgf/kernels/recorded_work.h"

#include "sgf/core/device.h"
#include "sgf/core/error.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

namespace sgf {
namespace {

class RecordedWorkOn : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (device_.is_cuda() && !cuda_is_available()) GTEST_SKIP() << "no GPU here";
  }

  at::Tensor numbers(int64_t rows) const { return at::rand({rows, 8}).to(device_); }

  const c10::Device device_{GetParam()};
};

TEST_P(RecordedWorkOn, GivesWhatTheWorkGives) {
  const at::Tensor weight = numbers(8);
  int64_t runs = 0;
  const TensorWork work = [&](const std::vector<at::Tensor>& in) {
    ++runs;
    return std::vector<at::Tensor>{in[0].matmul(weight).relu(), in[1].sum()};
  };
  RecordedWork recorded;
  for (int64_t call = 0; call < 6; ++call) {
    const int64_t rows = call % 2 == 0 ? 3 : 5;  // two shapes, by turns
    const std::vector<at::Tensor> in{numbers(rows), numbers(2)};
    const std::vector<at::Tensor> got = recorded.run(0, work, in);
    EXPECT_TRUE(at::equal(got[0], in[0].matmul(weight).relu())) << call;
    EXPECT_TRUE(at::equal(got[1], in[1].sum())) << call;
    weight.mul_(0.5);  // in its place: a replay reads the new numbers
  }
  EXPECT_EQ(runs, device_.is_cuda() ? 4 : 6) << "on a GPU each shape is run once, recorded once, then replayed";
}

TEST_P(RecordedWorkOn, KeepsVariantsApart) {
  RecordedWork recorded;
  for (int64_t call = 0; call < 9; ++call) {
    const int64_t variant = call % 3;
    const TensorWork work = [variant](const std::vector<at::Tensor>& in) {
      return std::vector<at::Tensor>{in[0] + static_cast<double>(variant)};
    };
    const at::Tensor x = numbers(4);
    EXPECT_TRUE(at::equal(recorded.run(variant, work, {x})[0], x + static_cast<double>(variant))) << call;
  }
}

TEST_P(RecordedWorkOn, NeedsAnInput) {
  EXPECT_THROW(RecordedWork().run(0, [](const std::vector<at::Tensor>& in) { return in; }, {}), Error);
}

TEST_P(RecordedWorkOn, OnAGpuMayNotWaitForTheDevice) {
  if (device_.is_cpu()) GTEST_SKIP() << "nothing to wait for";
  RecordedWork recorded;
  const TensorWork work = [](const std::vector<at::Tensor>& in) {
    return std::vector<at::Tensor>{in[0] * in[0].sum().item<double>()};
  };
  recorded.run(0, work, {numbers(2)});
  EXPECT_THROW(recorded.run(0, work, {numbers(2)}), Error);
}

INSTANTIATE_TEST_SUITE_P(Devices, RecordedWorkOn, ::testing::Values("cpu", "cuda"));

}  // namespace
}  // namespace sgf
