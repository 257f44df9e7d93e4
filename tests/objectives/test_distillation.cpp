// What students of a teacher's path see, where their gradients go, and that samples do not mix.
#include "sgf/objectives/consistency.h"
#include "sgf/objectives/ode_regression.h"

#include "tests/core/refusal.h"
#include "tests/model/tiny_dit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sgf {
namespace {

using testing::Case;
using testing::draw;
using testing::relative_l2;
using testing::small_config;

// Two samples of four frames, blocks of two.
struct Paths {
  Case c{small_config(), 2, 4, 7};
  BlockLayout layout{4, 2};
  ContextPolicy policy = ContextPolicy::everything();
  OdeStates states{c.noisy, at::full({2, 4}, 750.0, at::kDouble), draw(8, 0, c.noisy.sizes()), c.text};

  at::Tensor causal(const at::Tensor& data) const {
    return causal_ode_loss(c.dit, states, data, ReconstructionMask(policy, layout)).prediction;
  }
  at::Tensor bidirectional(const at::Tensor& state) const {
    OdeStates moved = states;
    moved.state = state;
    return bidirectional_ode_loss(c.dit, moved, {policy, layout}).prediction;
  }
};

// The same latents with other values in frames [begin, end).
at::Tensor changed(const at::Tensor& x, int64_t begin, int64_t end) {
  at::Tensor other = x.clone();
  other.slice(1, begin, end).add_(1);
  return other;
}

TEST(OdeRegression, ACausalStudentSeesTheCleanBlocksBeforeItsOwn) {
  const Paths p;
  const at::Tensor before = p.causal(p.c.clean);
  EXPECT_TRUE(at::equal(p.causal(changed(p.c.clean, 2, 4)), before));  // the control: nobody reads the last block
  const at::Tensor after = p.causal(changed(p.c.clean, 0, 2));
  EXPECT_TRUE(at::equal(after.slice(1, 0, 2), before.slice(1, 0, 2)));
  EXPECT_GT(relative_l2(after.slice(1, 2), before.slice(1, 2)), 1e-6);
}

// Of a table of four entries under shift 5 the one nearest to 750 is 833.3, in float32 as the table is.
TEST(OdeRegression, SigmaIsLookedUpByTheRule) {
  Paths p;
  const at::Tensor exact = p.causal(p.c.clean);
  p.states.sigma = {.lookup = SigmaLookup::kNearestTable, .shift = 5, .entries = 4};
  const at::Tensor nearest = p.causal(p.c.clean);
  EXPECT_LT(relative_l2((p.c.noisy - nearest) / static_cast<double>(2.5F / 3), (p.c.noisy - exact) / 0.75), 1e-12);
}

TEST(OdeRegression, ABidirectionalTeachersStudentSeesTheNoisyBlocksBeforeItsOwn) {
  const Paths p;
  const at::Tensor before = p.bidirectional(p.c.noisy);
  const at::Tensor later = p.bidirectional(changed(p.c.noisy, 2, 4));
  EXPECT_TRUE(at::equal(later.slice(1, 0, 2), before.slice(1, 0, 2)));
  const at::Tensor earlier = p.bidirectional(changed(p.c.noisy, 0, 2));
  EXPECT_GT(relative_l2(earlier.slice(1, 2), before.slice(1, 2)), 1e-6);
}

TEST(OdeRegression, TheLossIsTheMeanSquaredDistanceFromTheEnd) {
  const Paths p;
  const OdeRegression r = bidirectional_ode_loss(p.c.dit, p.states, {p.policy, p.layout});
  EXPECT_NEAR(r.loss.item<double>(), (r.prediction - p.states.target).square().mean().item<double>(), 1e-12);
}

struct Consistency {
  Case student{small_config(), 2, 4, 1}, teacher{small_config(), 2, 4, 2}, average{small_config(), 2, 4, 3};
  ReconstructionMask mask{ContextPolicy::everything(), BlockLayout(4, 2)};
  SolverGrid grid = euler_grid(48, 5);
  at::Tensor uncond = draw(9, 0, student.text.sizes());

  ConsistencyLoss loss(const std::vector<int64_t>& steps, double guidance = 3, int64_t first = 0,
                       int64_t end = 2) const {
    const ConsistencyBatch batch{student.clean.slice(0, first, end),
                                 student.noisy.slice(0, first, end),
                                 {student.text.slice(0, first, end), uncond.slice(0, first, end)},
                                 grid_steps(grid, steps, at::kCPU)};
    return consistency_loss({student.dit, teacher.dit, average.dit}, batch, guidance, mask);
  }
};

TEST(Consistency, EverySampleTakesAStepOfItsOwn) {
  const Consistency c;
  const ConsistencyLoss both = c.loss({17, 40}), first = c.loss({17}, 3, 0, 1), second = c.loss({40}, 3, 1, 2);
  EXPECT_LT(relative_l2(both.next, at::cat({first.next, second.next})), 1e-12);
  EXPECT_LT(relative_l2(both.target, at::cat({first.target, second.target})), 1e-12);
  EXPECT_NEAR(both.loss.item<double>(), (first.loss + second.loss).item<double>() / 2, 1e-12);
  EXPECT_GT(relative_l2(both.next, c.loss({40, 17}).next), 1e-3);  // the control
}

TEST(Consistency, OnlyTheStudentLearns) {
  const Consistency c;
  for (const Case* side : {&c.student, &c.teacher, &c.average}) set_requires_grad(side->dit.weights(), true);
  const at::Tensor loss = c.loss({3, 5}).loss;
  const auto gradient_of = [&](const Case& side) {
    return torch::autograd::grad({loss}, {side.dit.weights().head.weight}, {}, true, false, /*allow_unused=*/true)[0];
  };
  EXPECT_GT(gradient_of(c.student).norm().item<double>(), 0);
  EXPECT_FALSE(gradient_of(c.teacher).defined());
  EXPECT_FALSE(gradient_of(c.average).defined());
}

TEST(Consistency, AStudentThatIsItsTargetOnAStraightPathHasNothingToLearn) {
  // A flow of zero leads nowhere: x0 is x_t itself, now and a step later.
  const Consistency c;
  const DitWeights& weights = c.student.dit.weights();
  weights.head.weight.zero_();
  weights.head.bias.zero_();
  const ConsistencyBatch batch{
      c.student.clean, c.student.noisy, {c.student.text, c.uncond}, grid_steps(c.grid, {0, 46}, at::kCPU)};
  const CausalDit& dit = c.student.dit;
  EXPECT_EQ(consistency_loss({dit, dit, dit}, batch, 3, c.mask).loss.item<double>(), 0);
  EXPECT_GT(c.loss({0, 46}).loss.item<double>(), 0);  // the control: another target
}

TEST(Consistency, GuidanceMovesTheTeachersStepAndOneAsksNoSecondTime) {
  const Consistency c;
  const at::Tensor weak = c.loss({3, 5}, 1).next, strong = c.loss({3, 5}, 3).next;
  EXPECT_GT(relative_l2(strong, weak), 1e-6);
  Consistency other;
  other.uncond = other.uncond + 1;
  EXPECT_TRUE(at::equal(other.loss({3, 5}, 1).next, weak));
  EXPECT_FALSE(at::equal(other.loss({3, 5}, 3).next, strong));
}

TEST(Consistency, AStepThatTheGridHasNotIsRefused) {
  EXPECT_THAT(refusal_of([] { grid_steps(euler_grid(48, 5), {48}, at::kCPU); }),
              ::testing::HasSubstr("a grid of 48 steps is numbered from 0, got 48"));
}

}  // namespace
}  // namespace sgf
