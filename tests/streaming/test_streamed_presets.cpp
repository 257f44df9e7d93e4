// Pass 1 rolls out as inference does, for both granularities: the first 21 latent frames of a stream with the context
// of a preset are the training rollout, though the stream has the preset's positions and the rollout has absolute ones.
#include "sgf/assembly/networks_from_config.h"
#include "sgf/rollout/roll_out.h"
#include "sgf/streaming/latent_stream.h"
#include "sgf/streaming/stream_parts.h"
#include "tests/model/tiny_dit.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

namespace sgf {
namespace {

using testing::draw;
using testing::relative_l2;
using testing::small_config;

constexpr int64_t kTrained = 21;
constexpr double kRounding = 1e-11, kDifferent = 1e-6;

// A preset with a network of two narrow layers and small latents, in float64.
struct TinyPreset {
  Config config;
  CausalDit dit{small_config(), random_dit_weights(small_config(), 4, at::kDouble)};
  at::Tensor text = draw(6, 0, {1, 4, 10});

  explicit TinyPreset(const std::string& name, const std::vector<std::string>& overrides = {})
      : config(load_config(name, overrides, {SGF_PRESETS})) {
    config.model = small_config();
    config.video.height = 4;
    config.video.width = 6;
  }

  BlockNoise noise() const {
    return sample_noise(8, 1, latent_settings({.config = config}).latent, at::TensorOptions(at::kDouble));
  }

  at::Tensor streamed(int64_t frames) const {
    LatentStream stream(dit, latent_settings({.config = config}), noise(), {text, {}});
    std::vector<at::Tensor> blocks;
    while (stream.next_block().begin < frames) blocks.push_back(stream.next());
    return at::cat(blocks, 1);
  }

  at::Tensor rolled_out(int64_t frames) const {
    Config longer = config;
    longer.video.frames = frames;
    const RolloutSettings settings = rollout_settings_of(longer);
    return roll_out(dit, dit.prepare(text), settings, static_cast<int64_t>(settings.timesteps.size()), noise())
        .prediction;
  }

  // The first frame of the stream that is not the rollout's; `frames` if all are.
  int64_t departs_at(int64_t frames) const {
    const at::Tensor stream = streamed(frames), rollout = rolled_out(frames);
    EXPECT_EQ(stream.sizes(), rollout.sizes());
    for (int64_t frame = 0; frame < frames; ++frame) {
      const double apart = relative_l2(stream.select(1, frame), rollout.select(1, frame));
      if (apart < kRounding) continue;
      EXPECT_GT(apart, kDifferent) << "frame " << frame << " is neither equal nor different";
      return frame;
    }
    return frames;
  }
};

struct Window {
  const char* preset;
  int64_t sink, fifo, block;
};

class StreamedPreset : public ::testing::TestWithParam<Window> {};

TEST_P(StreamedPreset, IsTheTrainingRolloutForAllTrainedFrames) {
  const TinyPreset preset(GetParam().preset);
  const ContextSettings& context = preset.config.context;
  EXPECT_EQ(context.policy(), (ContextPolicy{.sink_frames = GetParam().sink, .fifo_frames = GetParam().fifo}));
  EXPECT_EQ(context.block_frames, GetParam().block);
  EXPECT_EQ(context.positions, PositionKind::kTopAligned);
  EXPECT_EQ(context.train_frames, kTrained);
  EXPECT_EQ(preset.departs_at(kTrained), kTrained);
}

// The control: beyond the trained frames the rollout's positions go on rising, and the stream's do not.
TEST_P(StreamedPreset, IsNoRolloutBeyondThem) {
  EXPECT_EQ(TinyPreset(GetParam().preset).departs_at(kTrained + 3), kTrained);
}

INSTANTIATE_TEST_SUITE_P(Presets, StreamedPreset,
                         ::testing::Values(Window{"wan-1.3b-framewise", 4, 16, 1},
                                           Window{"wan-1.3b-chunkwise", 3, 6, 3}, Window{"world-small", 3, 6, 3},
                                           Window{"world-tiny", 3, 6, 3}),
                         [](const auto& window) {
                           std::string name = window.param.preset;
                           for (char& c : name)
                             if (c == '-' || c == '.') c = '_';
                           return name;
                         });

// What the chunk-wise presets had before: as many positions as frames in sight.
TEST(StreamedChunks, WithTwelvePositionsDepartAtFrameTwelve) {
  EXPECT_EQ(TinyPreset("wan-1.3b-chunkwise", {"context.train_frames=12"}).departs_at(kTrained), 12);
}

}  // namespace
}  // namespace sgf
