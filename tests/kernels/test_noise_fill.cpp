// Noise tensors say the same on every device, in every dtype and in every batch split.
#include "sgf/kernels/noise_fill.h"

#include "sgf/core/error.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

namespace sgf {
namespace {

NoiseKey key(int64_t sample = 0) {
  return {.seed = 11, .purpose = NoisePurpose::kTest, .sample = sample, .block = 4, .step = 2};
}

at::TensorOptions cpu(at::ScalarType type) { return at::device(at::kCPU).dtype(type); }
at::TensorOptions gpu(at::ScalarType type) { return at::device(at::kCUDA).dtype(type); }

// Several pool tasks, and a last one that ends inside a block of four.
constexpr int64_t kOdd = 100'003;

TEST(NoiseFill, TensorsHoldTheStreamInRowMajorOrder) {
  std::vector<float> expected(kOdd);
  fill_normal(key(), expected);
  EXPECT_TRUE(at::equal(normal(key(), {kOdd}, cpu(at::kFloat)), at::tensor(expected)));
  EXPECT_TRUE(at::equal(normal(key(), {2, 3, 5}, cpu(at::kFloat)).flatten(), at::tensor(expected).slice(0, 0, 30)));
  fill_uniform(key(), expected);
  EXPECT_TRUE(at::equal(uniform(key(), {kOdd}, cpu(at::kFloat)), at::tensor(expected)));
}

TEST(NoiseFill, EveryDtypeHoldsTheSameDraw) {
  for (const auto draw : {normal, uniform}) {
    const at::Tensor single = draw(key(), {7, 11}, cpu(at::kFloat));
    EXPECT_TRUE(at::equal(draw(key(), {7, 11}, cpu(at::kDouble)), single.to(at::kDouble)));
    EXPECT_TRUE(at::equal(draw(key(), {7, 11}, cpu(at::kBFloat16)), single.to(at::kBFloat16)));
  }
}

TEST(NoiseFill, ASamplesNoiseDoesNotDependOnTheBatchSplit) {
  const at::Tensor whole = normal_per_sample(key(5), {4, 3, 7}, cpu(at::kFloat));
  const at::Tensor halves = at::cat(
      {normal_per_sample(key(5), {1, 3, 7}, cpu(at::kFloat)), normal_per_sample(key(6), {3, 3, 7}, cpu(at::kFloat))});
  EXPECT_TRUE(at::equal(whole, halves));
  EXPECT_TRUE(at::equal(whole[2], normal(key(7), {3, 7}, cpu(at::kFloat))));
  EXPECT_FALSE(at::equal(whole[0], whole[1]));
}

TEST(NoiseFill, OneStreamOverTheBatchDoes) {
  const at::Tensor whole = normal(key(5), {4, 3, 7}, cpu(at::kFloat));
  EXPECT_FALSE(at::equal(whole[2], normal(key(7), {3, 7}, cpu(at::kFloat))));
}

TEST(NoiseFill, UniformRowsAreTheSamplesOwn) {
  const at::Tensor rows = uniform_per_sample(key(5), {3, 4}, cpu(at::kFloat));
  EXPECT_TRUE(at::equal(rows[1], uniform(key(6), {4}, cpu(at::kFloat))));
}

TEST(NoiseFill, AcceptsScalarsAndEmptyShapes) {
  EXPECT_EQ(normal(key(), {}, cpu(at::kFloat)).dim(), 0);
  EXPECT_EQ(normal(key(), {0, 3}, cpu(at::kFloat)).numel(), 0);
  EXPECT_EQ(normal_per_sample(key(), {0, 3}, cpu(at::kFloat)).numel(), 0);
}

TEST(NoiseFill, RefusesOtherDtypesDevicesAndKeys) {
  EXPECT_THROW(normal(key(), {3}, cpu(at::kLong)), Error);
  EXPECT_THROW(normal(key(), {3}, cpu(at::kHalf)), Error);
  EXPECT_THROW(normal(key(), {3}, at::device(at::kMeta).dtype(at::kFloat)), Error);
  EXPECT_THROW(normal(key(-1), {3}, cpu(at::kFloat)), Error);
  EXPECT_THROW(normal_per_sample(key((int64_t{1} << 48) - 1), {2, 3}, cpu(at::kFloat)), Error);
  EXPECT_THROW(normal_per_sample(key(), {}, cpu(at::kFloat)), Error);
}

class NoiseFillOnCuda : public testing::Test {
 protected:
  void SetUp() override {
#ifndef SGF_WITH_CUDA
    GTEST_SKIP() << "built without CUDA kernels";
#endif
    if (!at::hasCUDA()) GTEST_SKIP() << "no CUDA device";
  }
};

TEST_F(NoiseFillOnCuda, UniformsEqualTheCpusToTheBit) {
  for (const auto type : {at::kDouble, at::kFloat, at::kBFloat16}) {
    EXPECT_TRUE(at::equal(uniform(key(), {kOdd}, gpu(type)).cpu(), uniform(key(), {kOdd}, cpu(type))));
    EXPECT_TRUE(at::equal(uniform_per_sample(key(9), {5, 37}, gpu(type)).cpu(),
                          uniform_per_sample(key(9), {5, 37}, cpu(type))));
  }
}

TEST_F(NoiseFillOnCuda, NormalsEqualTheCpusToRounding) {
  const at::Tensor expected = normal(key(), {kOdd}, cpu(at::kFloat));
  EXPECT_LT((normal(key(), {kOdd}, gpu(at::kFloat)).cpu() - expected).abs().max().item<float>(), 2e-6f);
  const at::Tensor rounded = normal(key(), {kOdd}, gpu(at::kBFloat16)).cpu().to(at::kFloat);
  EXPECT_TRUE(at::allclose(rounded, expected, 1.0 / 256, 2e-6));
  const at::Tensor rows = normal_per_sample(key(9), {5, 37}, cpu(at::kDouble));
  EXPECT_TRUE(at::allclose(normal_per_sample(key(9), {5, 37}, gpu(at::kDouble)).cpu(), rows, 0, 2e-6));
}

// grid.y ends at 65535: more samples than that must wrap around.
TEST_F(NoiseFillOnCuda, FillsMoreRowsThanTheGridHolds) {
  const at::Tensor rows = uniform_per_sample(key(), {70'000, 3}, gpu(at::kFloat));
  EXPECT_TRUE(at::equal(rows.cpu(), uniform_per_sample(key(), {70'000, 3}, cpu(at::kFloat))));
}

TEST_F(NoiseFillOnCuda, RefusesABatchThatRunsPastTheLastSample) {
  EXPECT_THROW(normal_per_sample(key((int64_t{1} << 48) - 1), {2, 3}, gpu(at::kFloat)), Error);
}

}  // namespace
}  // namespace sgf
