// Random numbers as pure functions. A draw depends only on (seed, purpose, sample, block, step) and the element's
// index. It does not depend on the device, the batch, the number of ranks or earlier draws.
#pragma once

#include "sgf/core/philox.h"

#include <cmath>
#include <cstdint>
#include <span>

namespace sgf {

// What a draw is for. Two purposes never share a number. The values enter the draws, so add new ones at the end only.
enum class NoisePurpose : uint16_t {
  kInitial = 0,          // the latent a block starts denoising from
  kRenoise = 1,          // between two denoising steps
  kScore = 2,            // noise added to a generated clip before the score networks see it
  kCritic = 3,           // noise of the critic's own loss
  kExit = 4,             // exit step of a rollout
  kTimestep = 5,         // training timesteps
  kData = 6,             // which clip, which crop
  kPrompt = 7,           // which prompt
  kInit = 8,             // weights
  kContext = 9,          // noise added to the context, if the recipe asks for it
  kWorld = 10,           // scenes of the built-in world
  kCriticExit = 11,      // exit step of the critic's rollout
  kScoreTimestep = 12,   // score times of the generator's update
  kCriticTimestep = 13,  // score times of the critic's update
  kTest = 14,            // used by no training run
  kSample = 15,          // the sample videos of a run
  kClipNoise = 16,       // noise added to clips
  kDropout = 17,         // which captions are dropped
};

// Names one stream. Ranges: sample < 2^48, block and step < 2^32, none negative; check_key throws otherwise.
struct NoiseKey {
  uint64_t seed = 0;
  NoisePurpose purpose = NoisePurpose::kInitial;
  int64_t sample = 0;
  int64_t block = 0;
  int64_t step = 0;
};

void check_key(const NoiseKey& key);

// A key prepared for drawing. The four coordinates pack into exactly 128 bits, and Philox under the seed permutes them.
// Half of the result keys the stream, half fills its upper counter words. So two keys of one seed never use the same
// (key, counter) pair, and the lower counter words leave room for 2^64 blocks of four elements.
class NoiseStream {
 public:
  SGF_HOST_DEVICE explicit NoiseStream(const NoiseKey& key) : NoiseStream(philox(pack(key), split(key.seed))) {}

  // Elements 4 * index to 4 * index + 3.
  SGF_HOST_DEVICE PhiloxBlock words(uint64_t index) const {
    return philox({{detail::low_word(index), detail::high_word(index), upper_[0], upper_[1]}}, key_);
  }

 private:
  SGF_HOST_DEVICE explicit NoiseStream(const PhiloxBlock& identity)
      : key_{{identity.word[0], identity.word[1]}}, upper_{identity.word[2], identity.word[3]} {}

  SGF_HOST_DEVICE static PhiloxBlock pack(const NoiseKey& key) {
    const auto sample = static_cast<uint64_t>(key.sample);
    const auto purpose = static_cast<uint32_t>(key.purpose);
    return {{detail::low_word(sample), (purpose << 16) | detail::high_word(sample), static_cast<uint32_t>(key.block),
             static_cast<uint32_t>(key.step)}};
  }

  SGF_HOST_DEVICE static PhiloxKey split(uint64_t seed) { return {{detail::low_word(seed), detail::high_word(seed)}}; }

  PhiloxKey key_;
  uint32_t upper_[2];
};

struct FloatQuad {
  float value[4];
};

// In [0, 1), multiples of 2^-24. The arithmetic is exact, so every device gives the same bits.
SGF_HOST_DEVICE inline FloatQuad uniforms_of(const PhiloxBlock& block) {
  FloatQuad quad;
  for (int i = 0; i < 4; ++i) quad.value[i] = static_cast<float>(block.word[i] >> 8) * 0x1p-24f;
  return quad;
}

// Box-Muller in float32, also for float64 tensors: consumer GPUs have few float64 units, and one formula gives every
// dtype the same number. The inputs are bit-identical, so devices differ only by the rounding of log, sin and cos
// (about 1e-6). The radius uses all 32 bits: its tail ends at 6.7, with 24 bits it would end at 5.8.
SGF_HOST_DEVICE inline void box_muller(uint32_t radius_word, uint32_t angle_word, float* pair) {
  const float inside = static_cast<float>(radius_word) * 0x1p-32f + 0x1p-33f;  // (0, 1]
  const float radius = sqrtf(-2.0f * logf(inside));
  const float angle = static_cast<float>(angle_word >> 8) * (6.283185307179586f * 0x1p-24f);
  pair[0] = radius * cosf(angle);
  pair[1] = radius * sinf(angle);
}

SGF_HOST_DEVICE inline FloatQuad normals_of(const PhiloxBlock& block) {
  FloatQuad quad;
  box_muller(block.word[0], block.word[1], quad.value);
  box_muller(block.word[2], block.word[3], quad.value + 2);
  return quad;
}

// Elements [first, first + out.size()) of a stream. The double versions are the float draws, widened.
void fill_uniform(const NoiseKey& key, std::span<float> out, int64_t first = 0);
void fill_uniform(const NoiseKey& key, std::span<double> out, int64_t first = 0);
void fill_normal(const NoiseKey& key, std::span<float> out, int64_t first = 0);
void fill_normal(const NoiseKey& key, std::span<double> out, int64_t first = 0);

// One number in [0, 1) with 53 random bits.
double uniform_double(const NoiseKey& key);

// One integer in [0, n), unbiased: draws that would favour small values are rejected.
int64_t uniform_index(const NoiseKey& key, int64_t n);

}  // namespace sgf
