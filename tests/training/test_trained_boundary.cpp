// Frozen and open boundary in a whole generator step: one loss, two gradients, in every layer.
#include "sgf/training/dmd_step.h"

#include "sgf/training/trained_dit.h"
#include "tests/model/tiny_dit.h"

#include <gtest/gtest.h>

namespace sgf {
namespace {

using testing::draw;
using testing::relative_l2;
using testing::small_config;

constexpr int64_t kLayers = 4;

struct Side {
  double loss;
  std::map<std::string, at::Tensor> gradients;
};

Side generator_side(GradientBoundary boundary, const BlockLayout& layout) {
  const auto network = [](uint64_t seed) {
    const DitConfig config = small_config(2, kLayers);
    return TrainedDit(config, random_dit_weights(config, seed, at::kDouble), at::kDouble, {});
  };
  const TrainedDit generator = network(1), teacher = network(2), critic = network(3);
  const at::Tensor text = draw(4, 0, {1, 4, 10});
  const DmdSettings settings{.rollout = {{.sink_frames = 1, .fifo_frames = 2}, layout, {1000.0, 937.5}},
                             .boundary = boundary};
  const DmdBatch batch{
      {text, at::zeros_like(text)}, {1, layout.frames(), 3, 4, 6}, at::kDouble, {}, {.seed = 5, .step = 7}};
  const GeneratorStep step =
      generator_step({generator.network(), teacher.network(), critic.network()}, batch, settings);
  Side side{step.loss.item<double>(), {}};
  const std::vector<at::Tensor> gradients = generator.gradients(step.loss);
  for (size_t i = 0; i < gradients.size(); ++i) side.gradients[generator.masters()[i].first] = gradients[i];
  return side;
}

TEST(Boundary, ChangesWhatWritesTheContextInEveryLayerAndNotTheLoss) {
  const BlockLayout layout(6, 1);
  const Side frozen = generator_side(GradientBoundary::kFrozenContext, layout);
  const Side open = generator_side(GradientBoundary::kOpenContext, layout);
  EXPECT_EQ(frozen.loss, open.loss);
  for (int64_t layer = 0; layer < kLayers; ++layer)
    for (const char* weight : {"k", "v"}) {
      const std::string name = fmt::format("blocks.{}.self_attn.{}.weight", layer, weight);
      EXPECT_GT(relative_l2(open.gradients.at(name), frozen.gradients.at(name)), 1e-3) << name;
    }
  // Nobody reads what the last layer's context queries see: its queries learn from the noisy half alone.
  const std::string last_query = fmt::format("blocks.{}.self_attn.q.weight", kLayers - 1);
  EXPECT_LT(relative_l2(open.gradients.at(last_query), frozen.gradients.at(last_query)), 1e-12);
}

TEST(Boundary, IsNothingWhereThereIsNoContext) {
  const BlockLayout one_block(3, 3);
  const Side frozen = generator_side(GradientBoundary::kFrozenContext, one_block);
  const Side open = generator_side(GradientBoundary::kOpenContext, one_block);
  for (const auto& [name, gradient] : open.gradients)
    EXPECT_TRUE(at::equal(gradient, frozen.gradients.at(name))) << name;
}

}  // namespace
}  // namespace sgf
