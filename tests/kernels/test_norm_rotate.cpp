// What calls without gradients compute in one pass, against the operators one by one.
#include "sgf/core/device.h"
#include "sgf/kernels/gelu_tanh.h"
#include "sgf/kernels/linear_rows.h"
#include "sgf/kernels/norm_rotate.h"
#include "sgf/model/dit_weights.h"
#include "tests/model/tiny_dit.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>
#include <gtest/gtest.h>

namespace sgf {
namespace {

using testing::draw;
using testing::relative_l2;

std::vector<at::TensorOptions> settings() {
  std::vector<at::TensorOptions> out{at::TensorOptions(at::kDouble), at::TensorOptions(at::kFloat)};
  if (!cuda_is_available()) return out;
  for (const at::ScalarType type : {at::kFloat, at::kBFloat16})
    out.push_back(at::TensorOptions(type).device(at::kCUDA));
  return out;
}

RopeTable table_of(int64_t tokens, int64_t width, const at::TensorOptions& options) {
  const auto wide = options.dtype() == at::kBFloat16 ? options.dtype(at::kFloat) : options;
  const at::Tensor angle = draw(3, 0, {tokens, width / 2}, wide);
  return {angle.cos(), angle.sin()};
}

// bfloat16 rounds at the same places in both; the sums of squares come in another order.
TEST(NormRotate, EqualsNormThenRotationOnRowsOfAWiderProduct) {
  const at::NoGradGuard no_grad;
  for (const at::TensorOptions& options : settings())
    for (const int64_t heads : {2, 12}) {
      const int64_t dim = heads * 32;
      const at::Tensor wide_rows = draw(2, 0, {2, 70, 3 * dim}, options), weight = draw(2, 1, {dim}, options);
      const at::Tensor x = wide_rows.narrow(-1, dim, dim);
      const RopeTable table = table_of(70, 32, options);
      const double tolerance = options.dtype() == at::kBFloat16 ? 4e-3 : 1e-6;
      EXPECT_LT(
          relative_l2(norm_rotate(x, weight, 1e-6, heads, table), norm_rotate_reference(x, weight, 1e-6, heads, table)),
          tolerance);
      EXPECT_LT(relative_l2(norm_rotate(x, weight, 1e-6, heads, {}), norm_rotate_reference(x, weight, 1e-6, heads, {})),
                tolerance);
      EXPECT_GT(relative_l2(norm_rotate(x, weight, 1e-6, heads, {}), norm_rotate(x, weight, 1e-6, heads, table)), 0.1);
    }
}

TEST(LinearGelu, EqualsTheProductAndThenItsActivation) {
  const at::NoGradGuard no_grad;
  for (const at::TensorOptions& options : settings()) {
    const at::Tensor x = draw(4, 0, {2, 50, 64}, options), weight = draw(4, 1, {96, 64}, options) / 8,
                     bias = draw(4, 2, {96}, options);
    const double tolerance = options.dtype() == at::kBFloat16 ? 8e-3 : 1e-6;
    EXPECT_LT(relative_l2(linear_gelu(x, weight, bias), gelu_tanh_reference(at::linear(x, weight, bias))), tolerance);
  }
}

TEST(JoinedProjections, ArePartsOfOneProductAndChangeWithIt) {
  if (!cuda_is_available()) GTEST_SKIP() << "q, k and v are joined on a GPU alone";
  const auto options = at::TensorOptions(at::kFloat).device(at::kCUDA);
  DitWeights weights = random_dit_weights(testing::small_config(2, 2), 4, options);
  const at::Tensor before = weights.blocks[0].self_attn.k.weight.clone();
  join_projections(weights);
  AttentionWeights& a = weights.blocks[0].self_attn;
  EXPECT_TRUE(at::equal(a.k.weight, before));
  a.k.weight.zero_();
  const int64_t rows = a.k.weight.size(0);
  EXPECT_EQ(a.qkv.weight.narrow(0, rows, rows).abs().max().item<double>(), 0);
}

}  // namespace
}  // namespace sgf
