// Noise is a pure function of its key: known words, the moments of a normal, and streams that do not meet.
#include "sgf/core/noise.h"

#include "sgf/core/error.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <vector>

namespace sgf {
namespace {

constexpr size_t kMany = 1 << 20;

NoiseKey test_key() { return {.seed = 7, .purpose = NoisePurpose::kTest, .sample = 3, .block = 2, .step = 1}; }

// Its draws were computed by a separate program from the published algorithm.
NoiseKey pinned_key() {
  return {.seed = 0x123456789abcdef,
          .purpose = NoisePurpose::kRenoise,
          .sample = (int64_t{1} << 40) + 5,
          .block = 7,
          .step = 9};
}

std::array<uint32_t, 4> words_of(const PhiloxBlock& block) {
  return {block.word[0], block.word[1], block.word[2], block.word[3]};
}

std::vector<float> normals(const NoiseKey& key, size_t count, int64_t first = 0) {
  std::vector<float> out(count);
  fill_normal(key, out, first);
  return out;
}

std::vector<float> uniforms(const NoiseKey& key, size_t count, int64_t first = 0) {
  std::vector<float> out(count);
  fill_uniform(key, out, first);
  return out;
}

// Mean of (x - center)^power.
double moment(const std::vector<float>& values, int power, double center = 0) {
  double sum = 0;
  for (const float value : values) sum += std::pow(value - center, power);
  return sum / static_cast<double>(values.size());
}

double correlation(const std::vector<float>& a, const std::vector<float>& b) {
  double sum = 0;
  for (size_t i = 0; i < a.size(); ++i) sum += double{a[i]} * b[i];
  return sum / static_cast<double>(a.size());
}

// Five standard errors of a mean over kMany draws of spread `spread`: a fixed seed that passes keeps passing.
double five_errors(double spread) { return 5 * spread / std::sqrt(static_cast<double>(kMany)); }

std::vector<NoiseKey> neighbours(const NoiseKey& key) {
  std::vector<NoiseKey> keys(6, key);
  keys[0].seed += 1;
  keys[1].purpose = NoisePurpose::kInitial;
  keys[2].sample += 1;
  keys[3].block += 1;
  keys[4].step += 1;
  std::swap(keys[5].block, keys[5].step);
  return keys;
}

TEST(Philox, GivesThePublishedKnownAnswers) {
  using Words = std::array<uint32_t, 4>;
  EXPECT_EQ(words_of(philox({{0, 0, 0, 0}}, {{0, 0}})), (Words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  constexpr uint32_t kOnes = 0xffffffff;
  EXPECT_EQ(words_of(philox({{kOnes, kOnes, kOnes, kOnes}}, {{kOnes, kOnes}})),
            (Words{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(words_of(philox({{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}}, {{0xa4093822, 0x299f31d0}})),
            (Words{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(Noise, AKeyGivesTheNumbersOfTheWrittenDownLayout) {
  const std::vector<float> expected_uniforms = {4104950, 6461173, 6724268, 5920346, 16286872, 5856300};
  const std::vector<double> expected_normals = {-1.259488117046941, 1.108758814549804,    -0.8145025104181444,
                                                1.0794364583019713, -0.14200185085314407, 0.19788919485683726};
  const auto uniform = uniforms(pinned_key(), 6);
  const auto normal = normals(pinned_key(), 6);
  for (size_t i = 0; i < 6; ++i) {
    EXPECT_EQ(uniform[i], expected_uniforms[i] * 0x1p-24f) << i;
    EXPECT_NEAR(normal[i], expected_normals[i], 1e-6) << i;
  }
  EXPECT_EQ(uniform_double(pinned_key()), 0.38511597347554605);
  EXPECT_EQ(uniform_index(pinned_key(), 1000), 477);
}

TEST(Noise, RepeatsWhateverWasDrawnBetween) {
  const auto before = normals(test_key(), 100);
  for (const NoiseKey& other : neighbours(test_key())) normals(other, 33);
  EXPECT_EQ(normals(test_key(), 100), before);
}

TEST(Noise, AnyPieceOfAStreamIsThatPieceOfTheWhole) {
  const auto whole = normals(test_key(), 64);
  const auto whole_uniform = uniforms(test_key(), 64);
  for (size_t first = 0; first < 9; ++first) {
    for (size_t count : {0, 1, 2, 3, 4, 5, 11, 40}) {
      const auto begin = static_cast<ptrdiff_t>(first);
      const auto end = static_cast<ptrdiff_t>(first + count);
      EXPECT_EQ(normals(test_key(), count, begin), std::vector<float>(whole.begin() + begin, whole.begin() + end));
      EXPECT_EQ(uniforms(test_key(), count, begin),
                std::vector<float>(whole_uniform.begin() + begin, whole_uniform.begin() + end));
    }
  }
}

TEST(Noise, DoublesAreTheFloatDrawsWidened) {
  std::vector<double> wide(101);
  fill_normal(test_key(), wide);
  EXPECT_TRUE(std::ranges::equal(wide, normals(test_key(), 101)));
  fill_uniform(test_key(), wide);
  EXPECT_TRUE(std::ranges::equal(wide, uniforms(test_key(), 101)));
}

TEST(Noise, NormalsHaveTheMomentsOfANormal) {
  const auto values = normals(test_key(), kMany);
  EXPECT_NEAR(moment(values, 1), 0, five_errors(1));
  EXPECT_NEAR(moment(values, 2), 1, five_errors(std::sqrt(2)));
  EXPECT_NEAR(moment(values, 3), 0, five_errors(std::sqrt(15)));
  EXPECT_NEAR(moment(values, 4), 3, five_errors(std::sqrt(96)));
  EXPECT_GT(*std::ranges::max_element(values), 4.0f);
  EXPECT_LT(*std::ranges::max_element(values), 6.7f);
}

// Kolmogorov-Smirnov: the moments would miss a comb or a hole.
TEST(Noise, NormalsFollowTheNormalDistribution) {
  auto values = normals(test_key(), kMany);
  std::ranges::sort(values);
  double gap = 0;
  for (size_t i = 0; i < values.size(); ++i) {
    const double expected = 0.5 * std::erfc(-values[i] / std::sqrt(2.0));
    gap = std::max(gap, std::abs(expected - static_cast<double>(i) / kMany));
  }
  EXPECT_LT(gap, 1.95 / std::sqrt(static_cast<double>(kMany)));  // p = 0.001
}

TEST(Noise, UniformsFillTheUnitIntervalAndStopBelowOne) {
  const auto values = uniforms(test_key(), kMany);
  EXPECT_GE(*std::ranges::min_element(values), 0.0f);
  EXPECT_LT(*std::ranges::max_element(values), 1.0f);
  EXPECT_NEAR(moment(values, 1), 0.5, five_errors(std::sqrt(1.0 / 12)));
  EXPECT_NEAR(moment(values, 2, 0.5), 1.0 / 12, five_errors(std::sqrt(1.0 / 180)));
}

TEST(Noise, ExtremeWordsStayFiniteAndInRange) {
  const PhiloxBlock ends{{0, 0xffffffff, 0xffffffff, 0}};
  for (const float value : uniforms_of(ends).value) EXPECT_TRUE(value >= 0 && value < 1) << value;
  for (const float value : normals_of(ends).value) EXPECT_TRUE(std::abs(value) < 6.8f) << value;
}

TEST(Noise, NeighbouringStreamsDoNotCorrelate) {
  const auto values = normals(test_key(), kMany);
  for (const NoiseKey& other : neighbours(test_key())) {
    EXPECT_NEAR(correlation(values, normals(other, kMany)), 0, five_errors(1));
  }
}

TEST(Noise, TheSameStreamDoes) {
  const auto values = normals(test_key(), kMany);
  EXPECT_NEAR(correlation(values, values), 1, 0.01);
}

TEST(Noise, ElementsOfAStreamDoNotCorrelateWithTheNext) {
  for (int64_t lag = 1; lag <= 4; ++lag) {
    EXPECT_NEAR(correlation(normals(test_key(), kMany), normals(test_key(), kMany, lag)), 0, five_errors(1)) << lag;
  }
}

// Every coordinate moves, also those whose bits lie beside one another in the packed counter.
TEST(Noise, NoTwoKeysShareAStream) {
  std::set<std::array<uint32_t, 4>> seen;
  size_t keys = 0;
  for (uint64_t seed : {0ull, 1ull, 1ull << 32}) {
    for (auto purpose : {NoisePurpose::kInitial, NoisePurpose::kRenoise, NoisePurpose::kScore}) {
      for (int64_t sample : {int64_t{0}, int64_t{1}, int64_t{1} << 16, int64_t{1} << 32, int64_t{1} << 47}) {
        for (int64_t block = 0; block < 8; ++block) {
          for (int64_t step = 0; step < 8; ++step, ++keys) {
            seen.insert(words_of(NoiseStream({seed, purpose, sample, block, step}).words(0)));
          }
        }
      }
    }
  }
  EXPECT_EQ(seen.size(), keys);
}

TEST(Noise, IndicesAreSpreadEvenly) {
  constexpr int64_t kBins = 7;
  constexpr int64_t kDraws = 70000;
  std::vector<int64_t> counts(kBins);
  NoiseKey key = test_key();
  for (key.sample = 0; key.sample < kDraws; ++key.sample) ++counts.at(uniform_index(key, kBins));
  double chi_squared = 0;
  for (const int64_t count : counts) chi_squared += std::pow(count - kDraws / kBins, 2) / (kDraws / kBins);
  EXPECT_LT(chi_squared, 22.5);  // p = 0.001 at six degrees of freedom
}

// With n = 3 * 2^61, plain remainders would land twice as often in the first third.
TEST(Noise, IndicesOfAHugeRangeAreNotBiasedToItsStart) {
  constexpr int64_t kRange = (int64_t{1} << 62) + (int64_t{1} << 61);
  NoiseKey key = test_key();
  double below_third = 0;
  for (key.sample = 0; key.sample < 10000; ++key.sample) below_third += uniform_index(key, kRange) < kRange / 3;
  EXPECT_NEAR(below_third / 10000, 1.0 / 3, 0.025);
}

TEST(Noise, ScalarUniformsUseAllFiftyThreeBits) {
  NoiseKey key = test_key();
  double sum = 0;
  bool beyond_float = false;
  for (key.sample = 0; key.sample < 10000; ++key.sample) {
    const double value = uniform_double(key);
    sum += value;
    beyond_float |= value * 0x1p24 != std::floor(value * 0x1p24);
  }
  EXPECT_NEAR(sum / 10000, 0.5, 5 * std::sqrt(1.0 / 12 / 10000));
  EXPECT_TRUE(beyond_float);
}

TEST(Noise, RefusesCoordinatesThatWouldNotFitTheCounter) {
  std::vector<float> out(4);
  for (const NoiseKey& key :
       {NoiseKey{.sample = -1}, NoiseKey{.block = -1}, NoiseKey{.step = -1}, NoiseKey{.sample = int64_t{1} << 48},
        NoiseKey{.block = int64_t{1} << 32}, NoiseKey{.step = int64_t{1} << 32}}) {
    EXPECT_THROW(fill_normal(key, out), Error);
    EXPECT_THROW(uniform_double(key), Error);
    EXPECT_THROW(uniform_index(key, 3), Error);
  }
  EXPECT_THROW(uniform_index(test_key(), 0), Error);
  EXPECT_THROW(fill_normal(test_key(), out, -1), Error);
}

}  // namespace
}  // namespace sgf
