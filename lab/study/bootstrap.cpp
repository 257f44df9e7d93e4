#include "lab/study/bootstrap.h"

#include "sgf/core/error.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>

namespace sgf {
namespace {

// Sums over resampled prompts, with several accumulators so that additions are independent.
double weighted_sum(std::span<const float> counts, const std::vector<double>& values) {
  constexpr size_t kStrands = 8;
  std::array<double, kStrands> sums{};
  const size_t whole = values.size() / kStrands * kStrands;
  for (size_t i = 0; i < whole; i += kStrands)
    for (size_t k = 0; k < kStrands; ++k) sums[k] += static_cast<double>(counts[i + k]) * values[i + k];
  for (size_t i = whole; i < values.size(); ++i) sums[0] += static_cast<double>(counts[i]) * values[i];
  return std::accumulate(sums.begin(), sums.end(), 0.0);
}

struct ValueSum {
  double sum = 0, count = 0;

  void add(const ValueSum& other, double times = 1) {
    sum += times * other.sum;
    count += times * other.count;
  }
  double mean() const { return count > 0 ? sum / count : std::numeric_limits<double>::quiet_NaN(); }
};

// The values of one seed; missing values are 0 with weight 0.
class SeedValues {
 public:
  explicit SeedValues(const PromptValues& prompts) {
    for (const std::optional<double>& value : prompts) {
      values_.push_back(value.value_or(0));
      weights_.push_back(value ? 1 : 0);
    }
    is_whole_ = std::ranges::find(weights_, 0) == weights_.end();
  }

  ValueSum sum(std::span<const float> counts) const {
    return {weighted_sum(counts, values_),
            is_whole_ ? static_cast<double>(values_.size()) : weighted_sum(counts, weights_)};
  }

 private:
  std::vector<double> values_, weights_;
  bool is_whole_ = true;
};

// Two-sided; the mean itself counts as one of the resamples.
double p_of(const std::vector<double>& means) {
  const auto below = std::ranges::count_if(means, [](double mean) { return mean <= 0; });
  const auto above = std::ranges::count_if(means, [](double mean) { return mean >= 0; });
  return std::min(1.0, 2.0 * static_cast<double>(std::min(below, above) + 1) / static_cast<double>(means.size() + 1));
}

// Interpolates between the two nearest sorted values.
double quantile(const std::vector<double>& sorted, double share) {
  const double place = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<size_t>(std::floor(place));
  const size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (place - std::floor(place)) * (sorted[above] - sorted[below]);
}

}  // namespace

Bootstrap::Bootstrap(const BootstrapSettings& settings, int64_t prompts)
    : settings_(settings),
      prompts_(prompts),
      prompt_counts_(static_cast<size_t>(std::max<int64_t>(0, settings.resamples * prompts))) {
  SGF_CHECK(prompts > 0 && settings.resamples > 0,
            "a bootstrap needs at least one prompt and one resample, got {} and {}", prompts, settings.resamples);
  std::mt19937_64 engine(settings.seed);  // its numbers are fixed by the standard
  for (int64_t r = 0; r < settings.resamples; ++r)
    for (int64_t i = 0; i < prompts; ++i)
      ++prompt_counts_[static_cast<size_t>(r * prompts) + engine() % static_cast<uint64_t>(prompts)];
  for (int64_t i = 0; i < settings.resamples * kMostSeeds; ++i) seed_draws_.push_back(engine());
}

std::span<const float> Bootstrap::counts_of(int64_t resample) const {
  return std::span(prompt_counts_).subspan(static_cast<size_t>(resample * prompts_), static_cast<size_t>(prompts_));
}

std::vector<double> Bootstrap::seeds_of(int64_t resample, size_t seeds) const {
  std::vector<double> drawn(seeds);
  for (size_t i = 0; i < seeds; ++i) ++drawn[seed_draws_[static_cast<size_t>(resample * kMostSeeds) + i] % seeds];
  return drawn;
}

Interval Bootstrap::of(const std::vector<PromptValues>& seeds) const {
  SGF_CHECK(!seeds.empty() && std::ssize(seeds) <= kMostSeeds, "the number of seeds must be between 1 and {}, got {}",
            kMostSeeds, seeds.size());
  const std::vector<float> once(static_cast<size_t>(prompts_), 1);
  std::vector<SeedValues> values;
  ValueSum all;
  for (const PromptValues& seed : seeds) {
    SGF_CHECK(std::ssize(seed) == prompts_, "expected one value per prompt, got {} values for {} prompts", seed.size(),
              prompts_);
    all.add(values.emplace_back(seed).sum(once));
  }
  Interval interval{.mean = all.mean(), .count = static_cast<int64_t>(all.count)};
  std::vector<double> means;
  for (int64_t r = 0; r < settings_.resamples; ++r) {
    const std::vector<double> drawn = seeds_of(r, values.size());
    ValueSum sum;
    for (size_t i = 0; i < values.size(); ++i)
      if (drawn[i] > 0) sum.add(values[i].sum(counts_of(r)), drawn[i]);
    if (std::isfinite(sum.mean())) means.push_back(sum.mean());
  }
  if (means.empty()) return interval;
  interval.p = p_of(means);
  std::ranges::sort(means);
  interval.low = quantile(means, (1 - settings_.confidence) / 2);
  interval.high = quantile(means, (1 + settings_.confidence) / 2);
  return interval;
}

PromptValues paired_difference(const PromptValues& a, const PromptValues& b) {
  SGF_CHECK(a.size() == b.size(), "paired values must be equal in number, got {} and {}", a.size(), b.size());
  PromptValues difference;
  for (size_t i = 0; i < a.size(); ++i)
    difference.push_back(a[i] && b[i] ? std::optional(*a[i] - *b[i]) : std::nullopt);
  return difference;
}

}  // namespace sgf
