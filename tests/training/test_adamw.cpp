// The optimiser against its formula, its clipping and its exact resume; the EMA.
#include "sgf/core/error.h"
#include "sgf/training/adamw.h"
#include "sgf/training/ema.h"
#include "sgf/training/stage.h"
#include "tests/model/tiny_dit.h"

#include <gtest/gtest.h>

namespace sgf {
namespace {

using testing::draw;
using testing::relative_l2;

NamedTensors two_parameters(at::ScalarType dtype = at::kDouble) {
  return {{"a", draw(1, 0, {3, 4}, at::TensorOptions(dtype))}, {"b", draw(1, 1, {5}, at::TensorOptions(dtype))}};
}

std::vector<at::Tensor> gradients(int64_t step, at::ScalarType dtype = at::kDouble) {
  return {draw(2, 2 * step, {3, 4}, at::TensorOptions(dtype)), draw(2, 2 * step + 1, {5}, at::TensorOptions(dtype))};
}

TEST(AdamW, FollowsTheFormula) {
  const OptimiserSettings s{.learning_rate = 1e-2, .beta1 = 0.9, .beta2 = 0.99, .weight_decay = 0.1, .clip_norm = 0};
  const NamedTensors parameters = two_parameters();
  at::Tensor w = parameters[0].second.clone(), m = at::zeros_like(w), v = at::zeros_like(w);
  AdamW optimiser(s, parameters);
  for (int64_t step = 1; step <= 5; ++step) {
    const auto g = gradients(step);
    m = m * s.beta1 + g[0] * (1 - s.beta1);
    v = v * s.beta2 + g[0].square() * (1 - s.beta2);
    const at::Tensor m_hat = m / (1 - std::pow(s.beta1, step)), v_hat = v / (1 - std::pow(s.beta2, step));
    w = w * (1 - s.learning_rate * s.weight_decay) - s.learning_rate * m_hat / (v_hat.sqrt() + s.eps);
    optimiser.step(g);
  }
  EXPECT_LT(relative_l2(parameters[0].second, w), 1e-12);
  EXPECT_EQ(optimiser.steps_taken(), 5);
}

TEST(AdamW, ClipsAllGradientsTogetherAndReturnsTheNormBefore) {
  AdamW optimiser({.learning_rate = 1e-3, .clip_norm = 0.5}, two_parameters());
  const auto g = gradients(1);
  const double norm = global_norm(g);
  ASSERT_GT(norm, 0.5);
  EXPECT_NEAR(optimiser.step(g), norm, 1e-12);
  EXPECT_NEAR(global_norm(g), 0.5, 1e-12);
  AdamW open({.learning_rate = 1e-3, .clip_norm = 100}, two_parameters());
  const auto small = gradients(1);
  open.step(small);
  EXPECT_NEAR(global_norm(small), norm, 1e-12);
}

TEST(AdamW, ARestoredOptimiserGoesOnBitForBit) {
  const OptimiserSettings s{.learning_rate = 1e-2, .beta1 = 0.9, .beta2 = 0.99};
  const NamedTensors whole = two_parameters(at::kFloat), halves = two_parameters(at::kFloat);
  AdamW in_one_go(s, whole), first(s, halves);
  for (int64_t step = 0; step < 6; ++step) in_one_go.step(gradients(step, at::kFloat));
  for (int64_t step = 0; step < 3; ++step) first.step(gradients(step, at::kFloat));
  AdamW second(s, halves);
  second.restore(first.state());
  for (int64_t step = 3; step < 6; ++step) second.step(gradients(step, at::kFloat));
  for (size_t i = 0; i < whole.size(); ++i) EXPECT_TRUE(at::equal(whole[i].second, halves[i].second));
  // The control: without its moments it goes another way.
  const NamedTensors lost = two_parameters(at::kFloat);
  AdamW before(s, lost), forgetful(s, lost);
  for (int64_t step = 0; step < 3; ++step) before.step(gradients(step, at::kFloat));
  for (int64_t step = 3; step < 6; ++step) forgetful.step(gradients(step, at::kFloat));
  EXPECT_FALSE(at::equal(lost[0].second, whole[0].second));
}

TEST(AdamW, RefusesAStateThatDoesNotFitAndHalfPrecisionMasters) {
  AdamW optimiser({}, two_parameters());
  NamedTensors state = optimiser.state();
  state.erase(state.begin());
  EXPECT_THROW(optimiser.restore(state), Error);
  EXPECT_THROW(AdamW({}, {{"a", at::zeros({2}, at::kBFloat16)}}), Error);
  EXPECT_THROW(AdamW({.beta2 = 1.0}, two_parameters()), Error);
}

TEST(Ema, StartsAsTheWeightsThatItsStepFindsAndAveragesTheUpdateOfThatStep) {
  const NamedTensors weights{{"w", at::zeros({2}, at::kDouble)}};
  Ema ema(0.9, /*start_step=*/3, weights);
  const auto step = [&](int64_t number, double updated) {
    ema.enter(number);
    weights[0].second.fill_(updated);
    ema.update();
    return ema.average()[0].second[0].item<double>();
  };
  EXPECT_EQ(step(2, 1), 1);
  EXPECT_FALSE(ema.has_started());
  EXPECT_NEAR(step(3, 2), 0.9 * 1 + 0.1 * 2, 1e-15);
  EXPECT_NEAR(step(4, 3), 0.9 * 1.1 + 0.1 * 3, 1e-15);
}

// Self-Forcing's loop, trainer/distillation.py, which Causal-Forcing, LongLive and the authors' release keep: the EMA
// follows the optimiser's step, the counter is raised, and at ema_start_step the weights are copied.
TEST(Ema, IsThatOfThePublicLoop) {
  constexpr int64_t kStart = 20, kEvery = 5, kSteps = 42;
  constexpr double kDecay = 0.99;
  const auto weight_after = [](int64_t step) { return 1.0 + 0.25 * static_cast<double>(step); };
  for (const int64_t start : {int64_t{0}, kStart, kStart + 1}) {
    double theirs = 0, weight = 7;
    bool has_theirs = start == 0;
    if (has_theirs) theirs = weight;
    for (int64_t step = 0; step < kSteps;) {
      if (step > 0 && step % kEvery == 0) {
        weight = weight_after(step);
        if (has_theirs) theirs = kDecay * theirs + (1 - kDecay) * weight;
      }
      if (++step >= start && !has_theirs) theirs = weight, has_theirs = true;
    }
    const NamedTensors weights{{"w", at::full({1}, 7.0, at::kDouble)}};
    Ema ours(kDecay, start, weights);
    for (int64_t step = kEvery; step < kSteps; step += kEvery) {
      ours.enter(step);
      weights[0].second.fill_(weight_after(step));
      ours.update();
    }
    EXPECT_NEAR(ours.average()[0].second[0].item<double>(), theirs, 1e-14) << start;
  }
}

TEST(Ema, ARestoredAverageGoesOn) {
  const NamedTensors weights{{"w", at::ones({2}, at::kDouble)}};
  Ema one(0.5, 0, weights), other(0.5, 0, weights);
  one.enter(0);
  one.update();
  weights[0].second.fill_(3);
  one.update();
  StageState saved;
  one.save(saved);
  other.restore(saved);
  one.update();
  other.update();
  EXPECT_TRUE(at::equal(one.average()[0].second, other.average()[0].second));
  saved.networks["ema"] = {{"v", at::ones({2}, at::kDouble)}};
  EXPECT_THROW(other.restore(saved), Error);
}

}  // namespace
}  // namespace sgf
