// Noise, data and flow into one another, in every precision and with a sigma per frame.
#include "sgf/schedule/flow_match.h"

#include "sgf/core/error.h"
#include "tests/schedule/reference_tensors.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <vector>

namespace sgf {
namespace {

TEST(FlowMatch, AgreesWithTheRecordedNoisyLatents) {
  const ReferenceTensors recorded("schedule_a.safetensors");
  const at::Tensor sigmas = sigmas_at({.lookup = SigmaLookup::kNearestTable}, recorded["in.t"].to(at::kDouble));
  const at::Tensor noisy = add_noise(recorded["in.x0"], recorded["in.noise"], sigmas);
  EXPECT_LT(rel_l2(noisy, recorded["out.noisy"]), 1e-6);
}

TEST(FlowMatch, SigmasOfATensorAreThoseOfItsNumbers) {
  const at::Tensor t = at::linspace(0, 1000, 1234, at::kDouble).view({2, 617});
  for (const SigmaRule& rule : {SigmaRule{}, SigmaRule{.lookup = SigmaLookup::kNearestTable},
                                SigmaRule{.lookup = SigmaLookup::kNearestTable, .shift = 0.3, .entries = 7}}) {
    const at::Tensor sigmas = sigmas_at(rule, t).flatten(), flat = t.flatten();
    for (int64_t i = 0; i < flat.numel(); ++i)
      ASSERT_NEAR(sigmas[i].item<double>(), rule.at(flat[i].item<double>()), 1e-15) << flat[i].item<double>();
  }
}

TEST(FlowMatch, TheFlowLeadsBackToTheCleanLatent) {
  const at::Tensor x0 = at::randn({2, 3, 4, 5, 6}, at::kDouble);
  const at::Tensor noise = at::randn({2, 3, 4, 5, 6}, at::kDouble);
  const at::Tensor sigma = at::rand({2, 3}, at::kDouble);
  const at::Tensor noisy = add_noise(x0, noise, sigma);
  EXPECT_LT(rel_l2(x0_from_flow(noisy, flow_target(x0, noise), sigma), x0), 1e-14);
}

TEST(FlowMatch, EachFrameTakesItsOwnSigma) {
  const at::Tensor x0 = at::randn({2, 3, 4}, at::kDouble);
  const at::Tensor noise = at::randn({2, 3, 4}, at::kDouble);
  const at::Tensor noisy = add_noise(x0, noise, at::tensor({0.0, 0.25, 1.0, 1.0, 0.5, 0.0}, at::kDouble).view({2, 3}));
  EXPECT_TRUE(at::equal(noisy[0][0], x0[0][0]));
  EXPECT_TRUE(at::equal(noisy[0][2], noise[0][2]));
  EXPECT_TRUE(at::allclose(noisy[0][1], 0.75 * x0[0][1] + 0.25 * noise[0][1]));
  EXPECT_TRUE(at::equal(noisy[1], add_noise(x0[1], noise[1], at::tensor({1.0, 0.5, 0.0}, at::kDouble))));
}

TEST(FlowMatch, OneSigmaForAllIsASigmaPerSampleRepeated) {
  const at::Tensor a = at::randn({2, 3, 4}, at::kDouble);
  const at::Tensor b = at::randn({2, 3, 4}, at::kDouble);
  const at::Tensor sigma = at::full({1}, 0.3, at::kDouble).expand({2});
  EXPECT_LT(rel_l2(add_noise(a, b, 0.3), add_noise(a, b, sigma)), 1e-15);
  EXPECT_LT(rel_l2(x0_from_flow(a, b, 0.3), x0_from_flow(a, b, sigma)), 1e-15);
}

TEST(FlowMatch, BFloat16IsComputedInFloat32) {
  const at::Tensor x = at::full({4}, 1.0, at::kBFloat16);
  const at::Tensor flow = at::full({4}, 1.0, at::kBFloat16);
  const at::Tensor x0 = x0_from_flow(x, flow, 1e-4);
  EXPECT_EQ(x0.scalar_type(), at::kFloat);
  EXPECT_NEAR(x0[0].item<double>(), 0.9999, 1e-7);  // bfloat16 knows nothing between 0.996 and 1
}

TEST(FlowMatch, RefusesSigmasThatAreNoPrefixOfTheLatent) {
  const at::Tensor x = at::zeros({2, 3, 4});
  EXPECT_THROW(add_noise(x, x, at::zeros({3})), Error);
  EXPECT_THROW(add_noise(x, x, at::zeros({2, 1})), Error);
  EXPECT_THROW(add_noise(x, at::zeros({2, 3}), 0.5), Error);
}

}  // namespace
}  // namespace sgf
