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

// The exit of all blocks has key block 0.
int64_t key_block(ExitBlocks blocks) { return blocks == ExitBlocks::kFirst ? 1 : 0; }

// The same for every sample of a step, thus for every rank.
int64_t exit_of(const DmdDraws& draws, NoisePurpose purpose, ExitRange range, ExitBlocks blocks) {
  return drawn_from(range, {.seed = draws.seed, .purpose = purpose, .sample = draws.step, .block = key_block(blocks)});
}

std::vector<int64_t> exits_of(const DmdDraws& draws, NoisePurpose purpose, ExitRange range, int64_t count,
                              ExitBlocks blocks) {
  std::vector<int64_t> exits;
  for (int64_t i = 0; i < count; ++i) {
    NoiseKey key = key_of(draws, purpose);
    key.sample += i;
    key.step = 1;  // the shared exit is drawn at 0
    key.block = key_block(blocks);
    exits.push_back(drawn_from(range, key));
  }
  return exits;
}

// Generator and critic rollouts of a step must not share noise: they use even and odd draws.
BlockNoise block_noise(const DmdDraws& draws, at::IntArrayRef latent, at::TensorOptions options, int64_t parity) {
  const std::vector<int64_t> shape = latent.vec();
  return [draws, shape, options, parity](FrameSpan block, int64_t draw) {
    NoiseKey key = key_of(draws, draw == 0 ? NoisePurpose::kInitial : NoisePurpose::kRenoise);
    key.block = block.begin;
    key.step = 2 * draw + parity;
    return normal_per_sample(key, {shape[0], block.frames(), shape[2], shape[3], shape[4]}, options);
  };
}

ScoreDraw score_draw(const DmdDraws& draws, at::IntArrayRef latent, at::TensorOptions options,
                     const std::vector<ScoreTimes>& times, NoisePurpose noise, NoisePurpose time) {
  SGF_CHECK(static_cast<int64_t>(times.size()) == latent[0],
            "score times must be one per sample: {} samples, but {} times", latent[0], times.size());
  std::vector<double> t;
  NoiseKey key = key_of(draws, time);
  for (const ScoreTimes& of_sample : times) {
    t.push_back(draw_score_timestep(key, of_sample));
    ++key.sample;
  }
  return {normal_per_sample(key_of(draws, noise), latent, options), at::tensor(t, at::kDouble).to(options.device())};
}

}  // namespace

int64_t DmdDraws::generator_exit(ExitRange range, ExitBlocks blocks) const {
  return exit_of(*this, NoisePurpose::kExit, range, blocks);
}

int64_t DmdDraws::critic_exit(ExitRange range, ExitBlocks blocks) const {
  return exit_of(*this, NoisePurpose::kCriticExit, range, blocks);
}

std::vector<int64_t> DmdDraws::generator_exits(ExitRange range, int64_t count, ExitBlocks blocks) const {
  return exits_of(*this, NoisePurpose::kExit, range, count, blocks);
}

std::vector<int64_t> DmdDraws::critic_exits(ExitRange range, int64_t count, ExitBlocks blocks) const {
  return exits_of(*this, NoisePurpose::kCriticExit, range, count, blocks);
}

BlockNoise DmdDraws::generator_noise(at::IntArrayRef latent, at::TensorOptions options) const {
  return block_noise(*this, latent, options, 0);
}

BlockNoise DmdDraws::critic_noise(at::IntArrayRef latent, at::TensorOptions options) const {
  return block_noise(*this, latent, options, 1);
}

ScoreDraw DmdDraws::score(at::IntArrayRef latent, at::TensorOptions options,
                          const std::vector<ScoreTimes>& times) const {
  return score_draw(*this, latent, options, times, NoisePurpose::kScore, NoisePurpose::kScoreTimestep);
}

ScoreDraw DmdDraws::critic_score(at::IntArrayRef latent, at::TensorOptions options,
                                 const std::vector<ScoreTimes>& times) const {
  return score_draw(*this, latent, options, times, NoisePurpose::kCritic, NoisePurpose::kCriticTimestep);
}

}  // namespace sgf
