// The network on its own: gradients by finite differences, recomputation, pruning, loading.
#include "sgf/core/error.h"
#include "sgf/model/weight_table.h"
#include "tests/model/tiny_dit.h"

#include <gtest/gtest.h>

namespace sgf {
namespace {

using testing::Case;
using testing::largest_difference;
using testing::relative_l2;
using testing::small_config;

double loss(const Case& c, const ContextPolicy& policy) {
  const at::NoGradGuard no_grad;
  const at::Tensor flow = c.parallel(policy, BlockLayout(3, 1), GradientBoundary::kOpenContext);
  return (flow * c.weights_of_loss).sum().item<double>();
}

// Two elements of every parameter of a one-block network, moved by hand.
TEST(CausalDit, GradientsEqualFiniteDifferences) {
  const Case c(small_config(2, 1), 1, 3, 21);
  const ContextPolicy policy{.sink_frames = 1, .fifo_frames = 1};
  set_requires_grad(c.dit.weights(), true);
  const auto grads = c.gradients(c.parallel(policy, BlockLayout(3, 1), GradientBoundary::kOpenContext));
  set_requires_grad(c.dit.weights(), false);
  const NamedTensors parameters = named_parameters(c.dit.weights());
  constexpr double step = 1e-5;
  for (size_t p = 0; p < parameters.size(); ++p) {
    const at::Tensor flat = parameters[p].second.view(-1), grad = grads[p].reshape(-1);
    for (const int64_t i : {int64_t{0}, flat.numel() / 2}) {
      const double before = flat[i].item<double>();
      flat[i].fill_(before + step);
      const double above = loss(c, policy);
      flat[i].fill_(before - step);
      const double below = loss(c, policy);
      flat[i].fill_(before);
      const double numeric = (above - below) / (2 * step), analytic = grad[i].item<double>();
      EXPECT_NEAR(analytic, numeric, 1e-6 * (1 + std::abs(numeric))) << parameters[p].first << " at " << i;
    }
  }
}

void expect_the_gradients_of_kept_activations(ActivationPolicy activations) {
  const DitConfig config = small_config(2, 3);
  const Case kept(config, 2, 4, 22);
  const Case again(config, 2, 4, 22, at::kDouble, {.activations = activations});
  const ContextPolicy policy{.sink_frames = 1, .fifo_frames = 2};
  for (const auto boundary : {GradientBoundary::kOpenContext, GradientBoundary::kFrozenContext}) {
    set_requires_grad(kept.dit.weights(), true);
    set_requires_grad(again.dit.weights(), true);
    const auto a = kept.gradients(kept.parallel(policy, BlockLayout(4, 1), boundary));
    const auto b = again.gradients(again.parallel(policy, BlockLayout(4, 1), boundary));
    for (size_t i = 0; i < a.size(); ++i) EXPECT_TRUE(at::equal(a[i], b[i]));
  }
}

TEST(CausalDit, RecomputedBlocksGiveTheSameGradientsBitForBit) {
  expect_the_gradients_of_kept_activations(ActivationPolicy::kRecomputeBlocks);
}

TEST(CausalDit, KeptAttentionGivesTheSameGradientsBitForBit) {
  expect_the_gradients_of_kept_activations(ActivationPolicy::kKeepAttention);
}

TEST(CausalDit, ContextThatNobodyReadsMayBeAnything) {
  const at::NoGradGuard no_grad;
  Case c(small_config(), 1, 6, 23);
  const ContextPolicy policy{.sink_frames = 3, .fifo_frames = 3};
  const BlockLayout layout(6, 3);
  const at::Tensor flow = c.parallel(policy, layout, GradientBoundary::kOpenContext);
  c.clean = c.clean.clone();
  c.clean.slice(1, 3).fill_(1e9);
  EXPECT_TRUE(at::equal(c.parallel(policy, layout, GradientBoundary::kOpenContext), flow));
  c.clean.slice(1, 2, 3).add_(1);
  EXPECT_GT(relative_l2(c.parallel(policy, layout, GradientBoundary::kOpenContext), flow), 1e-6);
}

TEST(CausalDit, BlockCausalFramesSeeThePastAndTheirBlockAlone) {
  const at::NoGradGuard no_grad;
  const Case c(small_config(), 1, 6, 24);
  const BlockCausal mode{ContextPolicy::everything(), BlockLayout(6, 2)};
  const auto run = [&](const at::Tensor& x) { return c.dit.forward(x, c.timesteps(6), c.dit.embed(c.text), mode); };
  const at::Tensor flow = run(c.noisy);
  at::Tensor changed = c.noisy.clone();
  changed.slice(1, 4).add_(1);
  EXPECT_TRUE(at::equal(run(changed).slice(1, 0, 4), flow.slice(1, 0, 4)));
  changed = c.noisy.clone();
  changed.slice(1, 3, 4).add_(1);
  EXPECT_GT(relative_l2(run(changed).slice(1, 2, 3), flow.slice(1, 2, 3)), 1e-6);
  // One block of everything is the bidirectional network.
  const at::Tensor one = c.dit.forward(c.noisy, c.timesteps(6), c.dit.embed(c.text),
                                       BlockCausal{ContextPolicy::everything(), BlockLayout(6, 6)});
  EXPECT_LT(relative_l2(one, c.dit.forward(c.noisy, c.timesteps(6), c.dit.embed(c.text), Bidirectional{})), 1e-13);
}

TEST(CausalDit, PreparedTextGivesTheSameFlow) {
  const at::NoGradGuard no_grad;
  const Case c(small_config(), 2, 2, 25);
  const at::Tensor a = c.dit.forward(c.noisy, c.timesteps(2), c.dit.embed(c.text), Bidirectional{});
  EXPECT_TRUE(at::equal(c.dit.forward(c.noisy, c.timesteps(2), c.dit.prepare(c.text), Bidirectional{}), a));
}

TEST(CausalDit, RefusesShapesThatDoNotFitAndSaysWhatCame) {
  const at::NoGradGuard no_grad;
  const Case c(small_config(), 1, 2, 26);
  const PromptText text = c.dit.embed(c.text);
  EXPECT_THROW(c.dit.forward(c.noisy.transpose(1, 2), c.timesteps(3), text, Bidirectional{}), Error);
  EXPECT_THROW(c.dit.forward(c.noisy, c.timesteps(3), text, Bidirectional{}), Error);
  EXPECT_THROW(c.dit.forward(c.noisy.slice(4, 0, 5), c.timesteps(2), text, Bidirectional{}), Error);
  EXPECT_THROW(c.dit.embed(at::zeros({1, 99, 10}, at::kDouble)), Error);
  EXPECT_THROW(c.dit.embed(at::zeros({1, 2, 11}, at::kDouble)), Error);
}

TEST(CausalDit, ReadingAFrameThatWasNeverWrittenIsAnError) {
  const at::NoGradGuard no_grad;
  const Case c(small_config(), 1, 4, 27);
  KvCache cache = c.cache({.sink_frames = 1, .fifo_frames = 2}, BlockLayout(4, 1));
  EXPECT_THROW(c.dit.forward(c.noisy.slice(1, 0, 1), c.timesteps(1), c.dit.prepare(c.text), Serial{cache, {2, 3}, {}}),
               Error);
}

TEST(CausalDit, WeightsHaveExactlyTheOfficialNamesAndShapes) {
  const DitConfig config = small_config();
  const NamedTensors own = named_parameters(random_dit_weights(config, 1, at::kFloat));
  std::map<std::string, std::vector<int64_t>> expected;
  for (const WeightShape& w : expected_dit_weights(config)) expected[w.name] = w.shape;
  EXPECT_EQ(own.size(), expected.size());
  for (const auto& [name, tensor] : own) EXPECT_EQ(tensor.sizes().vec(), expected.at(name)) << name;
}

TEST(CausalDit, Bfloat16StaysNearFloat32) {
  const at::NoGradGuard no_grad;
  const Case wide(small_config(2, 2), 1, 4, 28, at::kFloat);
  const Case narrow(small_config(2, 2), 1, 4, 28, at::kBFloat16);
  const ContextPolicy policy{.sink_frames = 1, .fifo_frames = 1};
  const at::Tensor a = wide.parallel(policy, BlockLayout(4, 1), GradientBoundary::kOpenContext);
  const at::Tensor b = narrow.parallel(policy, BlockLayout(4, 1), GradientBoundary::kOpenContext);
  EXPECT_EQ(b.scalar_type(), at::kFloat);
  EXPECT_LT(relative_l2(b, a), 3e-2);
  EXPECT_GT(relative_l2(b, a), 1e-4);
}

}  // namespace
}  // namespace sgf
