#include "sgf/evaluation/study/bootstrap.h"

#include "sgf/core/error.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

namespace sgf {
namespace {

constexpr int64_t kMostSeeds = 64;

struct ValueSum {
  double sum = 0;
  int64_t count = 0;

  void add(const std::optional<double>& value) {
    if (value) sum += *value, ++count;
  }
  double mean() const {
    return count > 0 ? sum / static_cast<double>(count) : std::numeric_limits<double>::quiet_NaN();
  }
};

// Between the two nearest of sorted values.
double quantile(const std::vector<double>& sorted, double share) {
  const double place = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<size_t>(std::floor(place));
  const size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (place - std::floor(place)) * (sorted[above] - sorted[below]);
}

}  // namespace

Bootstrap::Bootstrap(const BootstrapSettings& settings, int64_t prompts) : settings_(settings), prompts_(prompts) {
  check(prompts > 0 && settings.resamples > 0, "evaluation", "a bootstrap needs prompts and resamples, got {} and {}",
        prompts, settings.resamples);
  std::mt19937_64 engine(settings.seed);  // its numbers are the standard's, the same everywhere
  for (int64_t i = 0; i < settings.resamples * prompts; ++i)
    prompt_draws_.push_back(static_cast<uint32_t>(engine() % static_cast<uint64_t>(prompts)));
  for (int64_t i = 0; i < settings.resamples * kMostSeeds; ++i) seed_draws_.push_back(engine());
}

double Bootstrap::resampled_mean(const std::vector<PromptValues>& seeds, int64_t resample) const {
  ValueSum sum;
  for (size_t i = 0; i < seeds.size(); ++i) {
    const uint64_t draw = seed_draws_[static_cast<size_t>(resample * kMostSeeds) + i];
    const PromptValues& values = seeds[draw % seeds.size()];
    for (int64_t p = 0; p < prompts_; ++p) sum.add(values[prompt_draws_[static_cast<size_t>(resample * prompts_ + p)]]);
  }
  return sum.mean();
}

Interval Bootstrap::of(const std::vector<PromptValues>& seeds) const {
  check(!seeds.empty() && std::ssize(seeds) <= kMostSeeds, "evaluation", "a bootstrap takes 1 to {} seeds, got {}",
        kMostSeeds, seeds.size());
  ValueSum all;
  for (const PromptValues& values : seeds) {
    check(std::ssize(values) == prompts_, "evaluation", "{} values came for {} prompts", values.size(), prompts_);
    for (const std::optional<double>& value : values) all.add(value);
  }
  Interval interval{.mean = all.mean(), .count = all.count};
  std::vector<double> means;
  for (int64_t r = 0; r < settings_.resamples; ++r)
    if (const double mean = resampled_mean(seeds, r); std::isfinite(mean)) means.push_back(mean);
  if (means.empty()) return interval;
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
