#include "sgf/evaluation/study/bootstrap.h"

#include "sgf/core/error.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <random>

namespace sgf {
namespace {

constexpr int64_t kMostSeeds = 64;

// The values of one seed: empty ones are 0 and have no weight.
struct SeedValues {
  std::vector<double> values, weights;

  explicit SeedValues(const PromptValues& prompts) {
    for (const std::optional<double>& value : prompts) {
      values.push_back(value.value_or(0));
      weights.push_back(value ? 1 : 0);
    }
  }
};

// In four strands, so that one addition need not wait for the other.
double dot(std::span<const float> counts, const std::vector<double>& values) {
  std::array<double, 4> sums{};
  for (size_t i = 0; i < values.size(); ++i) sums[i % sums.size()] += static_cast<double>(counts[i]) * values[i];
  return sums[0] + sums[1] + sums[2] + sums[3];
}

struct ValueSum {
  double sum = 0, count = 0;

  void add(const SeedValues& seed, std::span<const float> counts) {
    sum += dot(counts, seed.values);
    count += dot(counts, seed.weights);
  }
  double mean() const { return count > 0 ? sum / count : std::numeric_limits<double>::quiet_NaN(); }
};

// Of both sides of 0, with the mean itself counted as one of the resamples.
double p_of(const std::vector<double>& means) {
  const auto below = std::ranges::count_if(means, [](double mean) { return mean <= 0; });
  const auto above = std::ranges::count_if(means, [](double mean) { return mean >= 0; });
  return std::min(1.0, 2.0 * static_cast<double>(std::min(below, above) + 1) / static_cast<double>(means.size() + 1));
}

// Between the two nearest of sorted values.
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
  check(prompts > 0 && settings.resamples > 0, "evaluation", "a bootstrap needs prompts and resamples, got {} and {}",
        prompts, settings.resamples);
  std::mt19937_64 engine(settings.seed);  // its numbers are the standard's, the same everywhere
  for (int64_t r = 0; r < settings.resamples; ++r)
    for (int64_t i = 0; i < prompts; ++i)
      ++prompt_counts_[static_cast<size_t>(r * prompts) + engine() % static_cast<uint64_t>(prompts)];
  for (int64_t i = 0; i < settings.resamples * kMostSeeds; ++i) seed_draws_.push_back(engine());
}

std::span<const float> Bootstrap::counts_of(int64_t resample) const {
  return std::span(prompt_counts_).subspan(static_cast<size_t>(resample * prompts_), static_cast<size_t>(prompts_));
}

Interval Bootstrap::of(const std::vector<PromptValues>& seeds) const {
  check(!seeds.empty() && std::ssize(seeds) <= kMostSeeds, "evaluation", "a bootstrap takes 1 to {} seeds, got {}",
        kMostSeeds, seeds.size());
  const std::vector<float> once(static_cast<size_t>(prompts_), 1);
  std::vector<SeedValues> values;
  ValueSum all;
  for (const PromptValues& seed : seeds) {
    check(std::ssize(seed) == prompts_, "evaluation", "{} values came for {} prompts", seed.size(), prompts_);
    all.add(values.emplace_back(seed), once);
  }
  Interval interval{.mean = all.mean(), .count = static_cast<int64_t>(all.count)};
  std::vector<double> means;
  for (int64_t r = 0; r < settings_.resamples; ++r) {
    ValueSum sum;
    for (size_t i = 0; i < values.size(); ++i)
      sum.add(values[seed_draws_[static_cast<size_t>(r * kMostSeeds) + i] % values.size()], counts_of(r));
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
  check(a.size() == b.size(), "evaluation", "{} prompts cannot be paired with {}", a.size(), b.size());
  PromptValues difference;
  for (size_t i = 0; i < a.size(); ++i)
    difference.push_back(a[i] && b[i] ? std::optional(*a[i] - *b[i]) : std::nullopt);
  return difference;
}

}  // namespace sgf
