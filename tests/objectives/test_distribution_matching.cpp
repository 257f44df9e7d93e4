// The DMD loss has the DMD gradient as its derivative; degenerate scores do no harm.
#include "sgf/objectives/distribution_matching.h"

#include "sgf/objectives/flow_matching.h"
#include "sgf/schedule/flow_match.h"
#include "tests/model/tiny_dit.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace sgf {
namespace {

using testing::draw;
using testing::relative_l2;

TEST(DistributionMatching, TheLossHasTheGradientAsItsDerivative) {
  const at::Tensor x = draw(1, 0, {2, 3, 2, 2, 2}).requires_grad_();
  const Scores scores{draw(1, 1, x.sizes()), draw(1, 2, x.sizes())};
  const at::Tensor gradient = dmd_gradient(x, scores);
  const auto derivative = torch::autograd::grad({dmd_loss(x, gradient)}, {x});
  EXPECT_LT(relative_l2(derivative[0], gradient / static_cast<double>(x.numel())), 1e-14);
}

TEST(DistributionMatching, EverySampleIsScaledByItsOwnDistance) {
  const at::Tensor x = draw(2, 0, {2, 3, 2, 2, 2});
  Scores scores{draw(2, 1, x.sizes()), draw(2, 2, x.sizes())};
  const at::Tensor before = dmd_gradient(x, scores);
  scores.real = at::cat({scores.real.slice(0, 0, 1), scores.real.slice(0, 1) + 100});
  const at::Tensor after = dmd_gradient(x, scores);
  EXPECT_TRUE(at::equal(before[0], after[0]));
  EXPECT_GT(relative_l2(after[1], before[1]), 1e-2);
}

TEST(DistributionMatching, AScoreOfNoDistanceGivesNoGradientInsteadOfNan) {
  const at::Tensor x = draw(3, 0, {1, 2, 2, 2, 2});
  EXPECT_TRUE(at::equal(dmd_gradient(x, {x, x}), at::zeros_like(x)));
}

TEST(DistributionMatching, EqualScoresGiveNoGradientAndUnequalOnesPullTowardsReal) {
  const at::Tensor x = draw(4, 0, {1, 2, 2, 2, 2}), real = draw(4, 1, x.sizes());
  EXPECT_EQ(dmd_gradient(x, {real, real}).abs().max().item<double>(), 0);
  // A critic that believes in x itself: descending moves x to what the teacher believes in.
  const at::Tensor step = x - dmd_gradient(x, {real, x}) * 0.1;
  EXPECT_LT((step - real).norm().item<double>(), (x - real).norm().item<double>());
}

// Of a table of four entries under shift 5 the one nearest to 700 is 625.
TEST(SigmaLookup, ScoresAndTheCriticAskTheRule) {
  const testing::Case c(testing::small_config(), 2, 3, 4);
  const SigmaRule coarse{.lookup = SigmaLookup::kNearestTable, .shift = 5, .entries = 4};
  const at::Tensor t = at::full({2}, 700.0, at::kDouble);
  const at::Tensor exact = predict_clean(c.dit, c.noisy, t, c.text);
  const at::Tensor nearest = predict_clean(c.dit, c.noisy, t, c.text, coarse);
  EXPECT_LT(relative_l2((c.noisy - nearest) / 0.625, (c.noisy - exact) / 0.7), 1e-12);
  EXPECT_GT(relative_l2(nearest, exact), 1e-3);
  const Scores scores = ScorePair{c.dit, c.dit, 0}.scores(c.noisy, t, {c.text, c.text}, coarse);
  EXPECT_TRUE(at::equal(scores.real, nearest) && at::equal(scores.fake, nearest));

  const at::Tensor noise = draw(4, 9, c.clean.sizes());
  const at::Tensor flow = predict_flow(c.dit, add_noise(c.clean, noise, 0.625), t, c.text);
  const double by_hand = flow_matching_loss(flow, flow_target(c.clean, noise)).item<double>();
  const auto loss = [&](const SigmaRule& sigma) {
    return critic_loss(c.clean, c.dit, {noise, t, sigma}, c.text).item<double>();
  };
  EXPECT_NEAR(loss(coarse), by_hand, 1e-12);
  EXPECT_GT(std::abs(loss({}) - by_hand), 1e-6);
}

TEST(FlowMatching, FramesCountByTheirWeights) {
  const at::Tensor flow = draw(5, 0, {1, 2, 2, 2, 2}), target = draw(5, 1, flow.sizes());
  const at::Tensor first_only = at::tensor({2.0, 0.0}, at::kDouble).view({1, 2});
  EXPECT_NEAR(flow_matching_loss(flow, target, first_only).item<double>(),
              (flow - target).square().slice(1, 0, 1).mean().item<double>(), 1e-14);
  EXPECT_NEAR(flow_matching_loss(flow, target).item<double>(), (flow - target).square().mean().item<double>(), 1e-14);
}

TEST(FlowMatching, BellWeightsAreThoseOfTheTable) {
  const FlowSchedule schedule;
  const at::Tensor t = at::tensor({schedule.timesteps()[10], 500.0}, at::kDouble).view({1, 2});
  const at::Tensor weights = bell_weights(schedule, t, t);
  EXPECT_EQ(weights[0][0].item<double>(), schedule.training_weights()[10]);
  EXPECT_GT(weights[0][1].item<double>(), weights[0][0].item<double>());
}

}  // namespace
}  // namespace sgf
