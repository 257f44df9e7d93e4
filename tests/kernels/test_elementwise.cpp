// Norms, modulation, rotation and gates against their plain twins, forward and backward.
#include "sgf/core/device.h"
#include "sgf/kernels/gated_residual.h"
#include "sgf/kernels/gelu_tanh.h"
#include "sgf/kernels/layer_norm_modulate.h"
#include "sgf/kernels/linear_rows.h"
#include "sgf/kernels/rms_norm.h"
#include "sgf/kernels/rope.h"
#include "tests/model/tiny_dit.h"

#include <gtest/gtest.h>

#include <functional>

namespace sgf {
namespace {

using testing::draw;
using testing::relative_l2;
using Tensors = std::vector<at::Tensor>;
using Op = std::function<at::Tensor(const Tensors&)>;

// Largest relative difference of value and gradients between two ways to compute one thing.
double worst_error(const Op& ours, const Op& twin, const Tensors& inputs) {
  Tensors leaves;
  for (const at::Tensor& t : inputs) leaves.push_back(t.detach().clone().requires_grad_());
  const at::Tensor a = ours(leaves), b = twin(leaves);
  double worst = relative_l2(a, b);
  const at::Tensor grad = draw(9, 0, a.sizes(), a.options().requires_grad(false));
  const auto ga = torch::autograd::grad({a}, leaves, {grad}), gb = torch::autograd::grad({b}, leaves, {grad});
  for (size_t i = 0; i < leaves.size(); ++i) worst = std::max(worst, relative_l2(ga[i], gb[i]));
  return worst;
}

struct Setting {
  at::TensorOptions options;
  double tolerance;
};

std::vector<Setting> settings() {
  std::vector<Setting> out{{at::TensorOptions(at::kDouble), 1e-13},
                           {at::TensorOptions(at::kFloat), 2e-6},
                           {at::TensorOptions(at::kBFloat16), 2e-2}};
  if (cuda_is_available())
    for (const Setting& cpu : std::vector<Setting>(out)) out.push_back({cpu.options.device(at::kCUDA), cpu.tolerance});
  return out;
}

at::TensorOptions wide_options(const at::TensorOptions& options) {
  return options.dtype() == at::kBFloat16 ? options.dtype(at::kFloat) : options;
}

TEST(Elementwise, LayerNormModulateEqualsItsTwin) {
  for (const auto& [options, tolerance] : settings())
    for (const int64_t width : {20, 96, 192, 520, 1536}) {
      const Tensors in{draw(2, 0, {2, 3 * 130, width}, options) * 3 + 1,
                       draw(2, 1, {2, 3, width}, wide_options(options)),
                       draw(2, 2, {2, 3, width}, wide_options(options))};
      EXPECT_LT(worst_error([](const Tensors& t) { return layer_norm_modulate(t[0], t[1], t[2], 1e-6); },
                            [](const Tensors& t) { return layer_norm_modulate_reference(t[0], t[1], t[2], 1e-6); }, in),
                tolerance);
    }
}

TEST(Elementwise, LayerNormAffineEqualsItsTwin) {
  for (const auto& [options, tolerance] : settings())
    for (const int64_t width : {20, 192, 520, 1536}) {
      const Tensors in{draw(12, 0, {2, 700, width}, options) * 3 + 1, draw(12, 1, {width}, options) + 1,
                       draw(12, 2, {width}, options)};
      EXPECT_LT(worst_error([](const Tensors& t) { return layer_norm_affine(t[0], t[1], t[2], 1e-6); },
                            [](const Tensors& t) { return layer_norm_affine_reference(t[0], t[1], t[2], 1e-6); }, in),
                tolerance);
    }
}

TEST(Elementwise, GatedResidualEqualsItsTwin) {
  for (const auto& [options, tolerance] : settings()) {
    const Tensors in{draw(3, 0, {2, 3 * 70, 24}, options), draw(3, 1, {2, 3 * 70, 24}, options),
                     draw(3, 2, {2, 3, 24}, wide_options(options))};
    EXPECT_LT(worst_error([](const Tensors& t) { return gated_residual(t[0], t[1], t[2]); },
                          [](const Tensors& t) { return gated_residual_reference(t[0], t[1], t[2]); }, in),
              tolerance);
  }
}

// Rows as a block cuts them out of [B, F, 6, C], also behind the context frames of a parallel call.
TEST(Elementwise, ModulationRowsMayLieApart) {
  for (const auto& [options, tolerance] : settings())
    for (const int64_t first_frame : {0, 1}) {
      const Tensors in{draw(7, 0, {2, 3 * 10, 24}, options), draw(7, 1, {2, 4, 6, 24}, wide_options(options))};
      const auto rows = [=](const Tensors& t, int64_t i) {
        return t[1].select(2, i).slice(1, first_frame, first_frame + 3);
      };
      EXPECT_LT(worst_error(
                    [&](const Tensors& t) {
                      const at::Tensor h = layer_norm_modulate(t[0], rows(t, 0), rows(t, 1), 1e-6);
                      return gated_residual(t[0], h, rows(t, 2));
                    },
                    [&](const Tensors& t) {
                      const at::Tensor h = layer_norm_modulate_reference(t[0], rows(t, 0), rows(t, 1), 1e-6);
                      return gated_residual_reference(t[0], h, rows(t, 2));
                    },
                    in),
                tolerance);
    }
}

TEST(Elementwise, GeluEqualsItsTwin) {
  for (const auto& [options, tolerance] : settings())
    EXPECT_LT(
        worst_error([](const Tensors& t) { return gelu_tanh(t[0]); },
                    [](const Tensors& t) { return gelu_tanh_reference(t[0]); }, {draw(8, 0, {3, 70, 33}, options) * 4}),
        tolerance);
}

// Where tanh has long saturated: no overflow, and the two ends of the curve.
TEST(Elementwise, GeluOfLargeNumbersIsZeroOrThemselves) {
  const at::Tensor x = at::tensor({-1e30f, -100.f, -0.f, 100.f, 1e30f}).requires_grad_();
  EXPECT_TRUE(at::equal(gelu_tanh(x), at::tensor({-0.f, -0.f, -0.f, 100.f, 1e30f})));
  const at::Tensor slope = torch::autograd::grad({gelu_tanh(x).sum()}, {x})[0];
  EXPECT_TRUE(at::allclose(slope, at::tensor({0.f, 0.f, 0.5f, 1.f, 1.f})));
}

// Without a graph the kernels are called another way: the numbers stay the same to the bit.
TEST(Elementwise, WithoutAGraphTheNumbersAreTheSame) {
  const at::Tensor x = draw(8, 1, {2, 3 * 50, 48}, at::kFloat), m = draw(8, 2, {2, 3, 48}, at::kFloat);
  const at::Tensor w = draw(8, 3, {48}, at::kFloat), leaf = x.clone().requires_grad_();
  EXPECT_TRUE(at::equal(layer_norm_modulate(x, m, m, 1e-6), layer_norm_modulate(leaf, m, m, 1e-6)));
  EXPECT_TRUE(at::equal(gated_residual(x, x, m), gated_residual(leaf, x, m)));
  EXPECT_TRUE(at::equal(rms_norm(x, w, 1e-6), rms_norm(leaf, w, 1e-6)));
  EXPECT_TRUE(at::equal(gelu_tanh(x), gelu_tanh(leaf)));
}

TEST(Elementwise, RmsNormEqualsItsTwin) {
  for (const auto& [options, tolerance] : settings()) {
    const Tensors in{draw(4, 0, {2, 150, 48}, options) * 2, draw(4, 1, {48}, options) + 1};
    EXPECT_LT(worst_error([](const Tensors& t) { return rms_norm(t[0], t[1], 1e-6); },
                          [](const Tensors& t) { return rms_norm_reference(t[0], t[1], 1e-6); }, in),
              tolerance);
  }
}

TEST(Elementwise, LinearRowsEqualTheirTwin) {
  for (const auto& [options, tolerance] : settings())
    for (const int64_t width : {20, 192, 520}) {
      const Tensors in{draw(10, 0, {2, 1500, 24}, options), draw(10, 1, {width, 24}, options),
                       draw(10, 2, {width}, options)};
      EXPECT_LT(worst_error([](const Tensors& t) { return linear_rows(t[0], t[1], t[2]); },
                            [](const Tensors& t) { return linear_rows_reference(t[0], t[1], t[2]); }, in),
                tolerance);
    }
}

TEST(Elementwise, ColumnSumsEqualTheirTwin) {
  for (const auto& [options, tolerance] : settings())
    for (const int64_t width : {20, 192, 520, 1536}) {
      const at::Tensor x = draw(11, 0, {3001, width}, options) + 1;
      EXPECT_LT(relative_l2(column_sums(x), x.sum(0)), tolerance) << width;
      EXPECT_GT(relative_l2(column_sums(x.slice(0, 300)), x.sum(0)), 0.05) << "the control: fewer rows, another sum";
    }
}

TEST(Elementwise, RotationEqualsItsTwin) {
  for (const auto& [options, tolerance] : settings()) {
    for (const int64_t width : {12, 64}) {
      const at::Tensor angle = draw(5, 1, {7, width / 2}, wide_options(options));
      const RopeTable table{angle.cos(), angle.sin()};
      EXPECT_LT(worst_error([&](const Tensors& t) { return rotate(t[0], table); },
                            [&](const Tensors& t) { return rotate_reference(t[0], table); },
                            {draw(5, 0, {2, 7, 3, width}, options)}),
                tolerance);
    }
  }
}

TEST(Elementwise, RotationKeepsLengthsAndZeroAnglesChangeNothing) {
  const at::Tensor x = draw(6, 0, {1, 4, 2, 8}), angle = draw(6, 1, {4, 4});
  EXPECT_LT(relative_l2(rotate(x, {angle.cos(), angle.sin()}).norm(2, -1), x.norm(2, -1)), 1e-14);
  EXPECT_TRUE(at::equal(rotate(x, {at::ones({4, 4}, at::kDouble), at::zeros({4, 4}, at::kDouble)}), x));
}

}  // namespace
}  // namespace sgf
