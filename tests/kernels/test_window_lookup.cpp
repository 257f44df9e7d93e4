// Windows of correlations: the loop against its plain twin, inside, across the border and far away.
#include "sgf/kernels/window_lookup.h"

#include "sgf/core/error.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

namespace sgf {
namespace {

std::vector<at::Tensor> some_levels(int64_t count, at::ScalarType type) {
  return {at::randn({count, 16, 22}, type), at::randn({count, 8, 11}, type), at::randn({count, 2, 3}, type)};
}

TEST(WindowLookup, IsItsPlainTwin) {
  at::manual_seed(1);
  for (const int64_t radius : {0, 3, 4}) {
    const auto levels = some_levels(200, at::kDouble);
    const at::Tensor places = at::rand({200, 2}, at::kDouble) * 40 - 10;
    const at::Tensor ours = window_lookup(levels, places, radius);
    EXPECT_EQ(ours.sizes(), at::IntArrayRef({200, 3 * (2 * radius + 1) * (2 * radius + 1)}));
    EXPECT_LT((ours - window_lookup_reference(levels, places, radius)).abs().max().item<double>(), 1e-12);
  }
}

TEST(WindowLookup, IsItsPlainTwinInFloat32) {
  at::manual_seed(2);
  const auto levels = some_levels(200, at::kFloat);
  const at::Tensor places = at::rand({200, 2}) * 40 - 10;
  EXPECT_LT((window_lookup(levels, places, 4) - window_lookup_reference(levels, places, 4)).abs().max().item<double>(),
            1e-4);
}

TEST(WindowLookup, OffsetsInXChangeSlowest) {
  const at::Tensor plane = at::arange(5 * 7, at::kDouble).view({1, 5, 7});  // 7 y + x
  const at::Tensor window = window_lookup({plane}, at::tensor({3., 2.}, at::kDouble).view({1, 2}), 1);
  const at::Tensor expected = at::tensor({9., 16., 23., 10., 17., 24., 11., 18., 25.}, at::kDouble).view({1, 9});
  EXPECT_TRUE(at::equal(window, expected));
}

TEST(WindowLookup, OutsideAndNowhereAreZeros) {
  const at::Tensor plane = at::ones({5, 4, 4}, at::kDouble);
  const double nan = std::nan("");
  const at::Tensor places = at::tensor({-1e300, 0., 0., 1e300, nan, 0., -2., 1., 5., 5.}, at::kDouble).view({5, 2});
  EXPECT_EQ(window_lookup({plane}, places, 1).abs().max().item<double>(), 0);
  EXPECT_GT(window_lookup({plane}, at::full({5, 2}, 4.5, at::kDouble), 1).abs().max().item<double>(), 0);
}

TEST(WindowLookup, AnEmptyOrMismatchedLevelIsRefused) {
  const at::Tensor places = at::zeros({5, 2}, at::kDouble);
  EXPECT_THROW(window_lookup({at::ones({5, 1, 4}, at::kDouble)}, places, 1), Error);
  EXPECT_THROW(window_lookup({at::ones({4, 4, 4}, at::kDouble)}, places, 1), Error);
  EXPECT_THROW(window_lookup({at::ones({5, 4, 4}, at::kFloat)}, places, 1), Error);
}

}  // namespace
}  // namespace sgf
