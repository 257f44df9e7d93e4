#include "sgf/training/dmd_draws.h"

#include "sgf/core/error.h"
#include "sgf/core/noise.h"
#include "sgf/kernels/noise_fill.h"
#include "sgf/training/sample_number.h"

#include <ATen/ATen.h>

namespace sgf {
namespace {

NoiseKey key_of(const DmdDraws& draws, NoisePurpose purpose) {
  return {.seed = draws.seed, .purpose = purpose, .sample = sample_number(draws.step, draws.first_sample)};
}

int64_t drawn_from(ExitRange range, const NoiseKey& key) {
  return range.first + uniform_index(key, range.last - range.first + 1);
}

// What a kind of update draws with.
struct DrawPurposes {
  NoisePurpose exit, score_noise, score_time;
  int64_t parity;  // rollouts of both kinds draw noise for the same purpose: one uses even draws, the other odd ones
};

constexpr DrawPurposes purposes_of(UpdateKind kind) {
  if (kind == UpdateKind::kGenerator)
    return {NoisePurpose::kExit, NoisePurpose::kScore, NoisePurpose::kScoreTimestep, 0};
  return {NoisePurpose::kCriticExit, NoisePurpose::kCritic, NoisePurpose::kCriticTimestep, 1};
}

// The exit of all blocks has key block 0.
int64_t key_block(ExitBlocks blocks) { return blocks == ExitBlocks::kFirst ? 1 : 0; }

}  // namespace

int64_t DmdDraws::exit(UpdateKind kind, ExitRange range, ExitBlocks blocks) const {
  // The same for every sample of a step, thus for every rank.
  return drawn_from(range,
                    {.seed = seed, .purpose = purposes_of(kind).exit, .sample = step, .block = key_block(blocks)});
}

std::vector<int64_t> DmdDraws::exits(UpdateKind kind, ExitRange range, int64_t count, ExitBlocks blocks) const {
  std::vector<int64_t> drawn;
  for (int64_t i = 0; i < count; ++i) {
    NoiseKey key = key_of(*this, purposes_of(kind).exit);
    key.sample += i;
    key.step = 1;  // the shared exit is drawn at 0
    key.block = key_block(blocks);
    drawn.push_back(drawn_from(range, key));
  }
  return drawn;
}

BlockNoise DmdDraws::noise(UpdateKind kind, at::IntArrayRef latent, at::TensorOptions options) const {
  const std::vector<int64_t> shape = latent.vec();
  return [draws = *this, shape, options, parity = purposes_of(kind).parity](FrameSpan block, int64_t draw) {
    NoiseKey key = key_of(draws, draw == 0 ? NoisePurpose::kInitial : NoisePurpose::kRenoise);
    key.block = block.begin;
    key.step = 2 * draw + parity;
    return normal_per_sample(key, {shape[0], block.frames(), shape[2], shape[3], shape[4]}, options);
  };
}

ScoreDraw DmdDraws::score(UpdateKind kind, at::IntArrayRef latent, at::TensorOptions options,
                          const std::vector<ScoreTimes>& times) const {
  SGF_CHECK(static_cast<int64_t>(times.size()) == latent[0],
            "score times must be one per sample: {} samples, but {} times", latent[0], times.size());
  std::vector<double> t;
  NoiseKey key = key_of(*this, purposes_of(kind).score_time);
  for (const ScoreTimes& of_sample : times) {
    t.push_back(draw_score_timestep(key, of_sample));
    ++key.sample;
  }
  return {normal_per_sample(key_of(*this, purposes_of(kind).score_noise), latent, options),
          at::tensor(t, at::kDouble).to(options.device())};
}

}  // namespace sgf
