// Rectangles merged by log-sum-exp against one masked softmax, forward and backward, on every backend there is.
#include "sgf/core/noise.h"
#include "sgf/kernels/key_parts.h"
#include "sgf/kernels/rectangle_attention.h"

#include "sgf/context/reconstruction_mask.h"
#include "sgf/core/device.h"
#include "sgf/core/error.h"
#include "tests/model/tiny_dit.h"

#include <gtest/gtest.h>

namespace sgf {
namespace {

using testing::draw;
using testing::relative_l2;

struct Inputs {
  at::Tensor q, k, v, grad;

  Inputs(const AttentionRegion& region, int64_t width, at::TensorOptions options) {
    q = draw(1, 0, {2, region.query_tokens, 3, width}, options).requires_grad_();
    k = draw(1, 1, {2, region.key_tokens, 3, width}, options).requires_grad_();
    v = draw(1, 2, {2, region.key_tokens, 3, width}, options).requires_grad_();
    grad = draw(1, 3, q.sizes(), options);
  }

  std::vector<at::Tensor> gradients(const at::Tensor& out) const {
    return torch::autograd::grad({out}, {q, k, v}, {grad});
  }
};

AttentionRegion a_region() {
  return ReconstructionMask({.sink_frames = 1, .fifo_frames = 3}, BlockLayout(7, 2, 1)).region(PatchGrid(4, 6, 2, 2));
}

// Largest relative difference of output and gradients from the masked twin.
double worst_error(AttentionBackend backend, int64_t width, at::TensorOptions options) {
  const AttentionRegion region = a_region();
  const Inputs in(region, width, options);
  const at::Tensor out = rectangle_attention(in.q, in.k, in.v, region, backend);
  const at::Tensor twin = masked_attention_reference(in.q, in.k, in.v, dense_mask(region).to(options.device()));
  double worst = relative_l2(out, twin);
  const auto ours = in.gradients(out), theirs = in.gradients(twin);
  for (size_t i = 0; i < 3; ++i) worst = std::max(worst, relative_l2(ours[i], theirs[i]));
  return worst;
}

TEST(RectangleAttention, EqualsTheMaskedTwinInFloat64) {
  EXPECT_LT(worst_error(AttentionBackend::kMath, 8, at::kDouble), 1e-13);
  EXPECT_LT(worst_error(AttentionBackend::kFlash, 8, at::kDouble), 1e-13);
}

TEST(RectangleAttention, EqualsTheMaskedTwinToRoundingInFloat32AndBfloat16) {
  for (const auto backend : {AttentionBackend::kMath, AttentionBackend::kFlash}) {
    EXPECT_LT(worst_error(backend, 8, at::kFloat), 5e-6);
    EXPECT_LT(worst_error(backend, 8, at::kBFloat16), 2e-2);
  }
}

TEST(RectangleAttention, EqualsTheMaskedTwinOnTheGpu) {
  if (!cuda_is_available()) GTEST_SKIP() << "no CUDA device";
  const auto on = [](at::ScalarType dtype) { return at::TensorOptions().dtype(dtype).device(at::kCUDA); };
  EXPECT_LT(worst_error(AttentionBackend::kMath, 64, on(at::kDouble)), 1e-13);
  EXPECT_LT(worst_error(AttentionBackend::kCudnn, 64, on(at::kBFloat16)), 2e-2);
  EXPECT_LT(worst_error(AttentionBackend::kFlash, 64, on(at::kBFloat16)), 2e-2);
}

TEST(RectangleAttention, WithoutOneRectangleTheTwinDisagrees) {
  AttentionRegion region = a_region();
  const Inputs in(region, 8, at::kDouble);
  const at::Tensor twin = masked_attention_reference(in.q, in.k, in.v, dense_mask(region));
  region.rectangles.erase(region.rectangles.begin());
  EXPECT_GT(relative_l2(rectangle_attention(in.q, in.k, in.v, region, AttentionBackend::kMath), twin), 1e-2);
}

TEST(RectangleAttention, AMemoIsFilledByTheFirstCallAndTakenByTheSecond) {
  const AttentionRegion region = a_region();
  const Inputs in(region, 8, at::kDouble);
  AttentionMemo memo;
  const auto run = [&](const at::Tensor& q) {
    return rectangle_attention(q, in.k, in.v, region, AttentionBackend::kMath, &memo);
  };
  const at::Tensor first = run(in.q);
  EXPECT_TRUE(at::equal(run(in.q * 2), first));   // what was kept, whatever comes in
  EXPECT_FALSE(at::equal(run(in.q * 2), first));  // and only once
}

TEST(RectangleAttention, RefusesRegionsThatLeaveTheSequence) {
  AttentionRegion region = AttentionRegion::dense(4, 4);
  region.rectangles[0].keys[0].count = 5;
  const Inputs in(AttentionRegion::dense(4, 4), 8, at::kDouble);
  EXPECT_THROW(rectangle_attention(in.q, in.k, in.v, region, AttentionBackend::kMath), Error);
}

TEST(RectangleAttention, RefusesAGpuBackendOnTheCpuByName) {
  const Inputs in(AttentionRegion::dense(4, 4), 8, at::kFloat);
  try {
    rectangle_attention(in.q, in.k, in.v, AttentionRegion::dense(4, 4), AttentionBackend::kCudnn);
    FAIL() << "cuDNN took a CPU tensor";
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find("cudnn"), std::string::npos) << e.what();
  }
}

TEST(KeyParts, JoinedAreTheWhole) {
  const auto difference = [](int64_t parts, at::TensorOptions options) {
    const at::Tensor q = draw(4, 0, {2, 10, 3, 16}, options), k = draw(4, 1, {2, 24, 3, 16}, options) * 3;
    const at::Tensor v = draw(4, 2, {2, 24, 3, 16}, options);
    return relative_l2(attention_in_parts(q, k, v, AttentionBackend::kAuto, parts),
                       attention_in_parts(q, k, v, AttentionBackend::kAuto, 1));
  };
  for (const int64_t parts : {2, 3, 6}) {
    EXPECT_LT(difference(parts, at::kDouble), 1e-14);
    if (!cuda_is_available()) continue;
    EXPECT_LT(difference(parts, at::TensorOptions(at::kCUDA).dtype(at::kBFloat16)), 1e-2);
  }
  EXPECT_THROW(difference(5, at::kDouble), Error);
}

TEST(KeyParts, AreJoinedOnAGpuAsByPlainAlgebra) {
  if (!cuda_is_available()) GTEST_SKIP() << "no GPU here";
  for (const auto type : {at::kFloat, at::kBFloat16}) {
    const auto options = at::TensorOptions(at::kCUDA).dtype(type);
    const at::Tensor out = normal({.seed = 5, .purpose = NoisePurpose::kTest}, {2, 4, 7, 3, 16}, options);
    const at::Tensor lse =
        normal({.seed = 6, .purpose = NoisePurpose::kTest}, {2, 4, 3, 7}, options.dtype(at::kFloat)) * 4;
    const at::Tensor joined = join_parts(out, lse), plain = join_parts_reference(out, lse);
    EXPECT_LT((joined - plain).to(at::kDouble).norm().item<double>() / plain.to(at::kDouble).norm().item<double>(),
              type == at::kFloat ? 1e-6 : 4e-3);
  }
}

// Measured on an H200 (132 processors): 5 parts were the fastest for both.
TEST(KeyParts, AreAsManyAsKeepAllProcessorsBusy) {
  EXPECT_EQ(key_parts(12, 1560, 32760, 132), 5);
  EXPECT_EQ(key_parts(12, 1560, 18720, 132), 5);
  EXPECT_EQ(key_parts(12, 32760, 32760, 132), 1);  // already busy
  EXPECT_EQ(key_parts(12, 1560, 512, 132), 1);     // too few keys
}

}  // namespace
}  // namespace sgf
