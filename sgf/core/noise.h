// Random numbers as pure functions. A draw depends on (seed, purpose, sample, block, step) and the element's index
// alone: not on the device, the batch it was drawn in, the rank count, or what was drawn before it.
#pragma once

#include "sgf/core/philox.h"

#include <cmath>
#include <cstdint>
#include <span>

namespace sgf {

// What a draw is for: two purposes never share a number. The values go into the draws, so add at the end only.
enum class NoisePurpose : uint16_t {
  kInitial = 0,          // the latent a block starts denoising from
  kRenoise = 1,          // between two denoising steps
  kScore = 2,            // noise put on a generated clip before the score pair sees it
  kCritic = 3,           // noise of the critic's own loss
  kExit = 4,             // exit step of a rollout
  kTimestep = 5,         // training timesteps
  kData = 6,             // which clip, which crop
  kPrompt = 7,           // which prompt
  kInit = 8,             // weights
  kContext = 9,          // noise put on the context, where a recipe asks for it
  kWorld = 10,           // the built-in world's scenes
  kCriticExit = 11,      // exit step of the critic's rollout
  kScoreTimestep = 12,   // score times of the generator's update
  kCriticTimestep = 13,  // score times of the critic's update
  kTest = 14,            // numbers no training run draws
  kSample = 15,          // the sample videos of a run
  kClipNoise = 16,       // noise put on clips
  kDropout = 17,         // which captions are left out
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

// A key made ready for drawing. The four coordinates pack into exactly 128 bits, and Philox under the seed permutes
// those; half of the image keys the stream, half fills its upper counter words. So two keys of one seed never run
// the same (key, counter) pair, and the lower counter words are free for 2^64 blocks of four elements.
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

// In [0, 1), multiples of 2^-24: exact arithmetic, so the same bits on every device.
SGF_HOST_DEVICE inline FloatQuad uniforms_of(const PhiloxBlock& block) {
  FloatQuad quad;
  for (int i = 0; i < 4; ++i) quad.value[i] = static_cast<float>(block.word[i] >> 8) * 0x1p-24f;
  return quad;
}

// Box-Muller in float32, also for float64 tensors: consumer GPUs have next to no float64 units, and one formula keeps
// every dtype on the same number. The inputs agree to the bit, so devices differ by the rounding of log, sin and cos
// alone (about 1e-6). The radius takes all 32 bits: its tail ends at 6.7, a 24-bit one would end at 5.8.
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

// One integer in [0, n), unbiased: draws that would favour small values are thrown away.
int64_t uniform_index(const NoiseKey& key, int64_t n);

}  // namespace sgf
