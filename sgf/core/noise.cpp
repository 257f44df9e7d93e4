// Host side of the noise streams: filling spans and drawing scalars.
#include "sgf/core/noise.h"

#include "sgf/core/error.h"

#include <limits>

namespace sgf {
namespace {

constexpr int64_t kSampleLimit = int64_t{1} << 48;
constexpr int64_t kBlockLimit = int64_t{1} << 32;
constexpr int64_t kStepLimit = int64_t{1} << 32;

void check_coordinate(const char* name, int64_t value, int64_t limit) {
  SGF_CHECK(value >= 0 && value < limit, "{} must be in [0, {}), got {}", name, limit, value);
}

// Writes elements [first, first + out.size()), which may begin and end inside a block of four.
template <class Value, class Draw>
void fill(const NoiseKey& key, std::span<Value> out, int64_t first, Draw draw) {
  check_key(key);
  SGF_CHECK(first >= 0, "the first element must not be negative, got {}", first);
  const NoiseStream stream(key);
  const int64_t end = first + static_cast<int64_t>(out.size());
  int64_t element = first;
  while (element < end) {
    const FloatQuad quad = draw(stream.words(static_cast<uint64_t>(element / 4)));
    do {
      out[static_cast<size_t>(element - first)] = quad.value[element % 4];
      ++element;
    } while (element < end && element % 4 != 0);
  }
}

uint64_t word_pair(const PhiloxBlock& block) { return (uint64_t{block.word[1]} << 32) | block.word[0]; }

}  // namespace

void check_key(const NoiseKey& key) {
  check_coordinate("sample", key.sample, kSampleLimit);
  check_coordinate("block", key.block, kBlockLimit);
  check_coordinate("step", key.step, kStepLimit);
}

void fill_uniform(const NoiseKey& key, std::span<float> out, int64_t first) { fill(key, out, first, uniforms_of); }

void fill_uniform(const NoiseKey& key, std::span<double> out, int64_t first) { fill(key, out, first, uniforms_of); }

void fill_normal(const NoiseKey& key, std::span<float> out, int64_t first) { fill(key, out, first, normals_of); }

void fill_normal(const NoiseKey& key, std::span<double> out, int64_t first) { fill(key, out, first, normals_of); }

double uniform_double(const NoiseKey& key) {
  check_key(key);
  return static_cast<double>(word_pair(NoiseStream(key).words(0)) >> 11) * 0x1p-53;
}

int64_t uniform_index(const NoiseKey& key, int64_t n) {
  check_key(key);
  SGF_CHECK(n > 0, "the number of values to draw from must be at least 1, got {}", n);
  const auto range = static_cast<uint64_t>(n);
  // The largest multiple of n within 64 bits; words above it are redrawn, less than once on average.
  const uint64_t limit = std::numeric_limits<uint64_t>::max() / range * range;
  const NoiseStream stream(key);
  for (uint64_t attempt = 0;; ++attempt) {
    const uint64_t word = word_pair(stream.words(attempt));
    if (word < limit) return static_cast<int64_t>(word % range);
  }
}

}  // namespace sgf
