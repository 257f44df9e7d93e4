// Intervals of means by resampling, without a distribution model. Torch-free.
#pragma once

#include "sgf/evaluation/segment_metrics.h"

#include <cstdint>
#include <span>
#include <vector>

namespace sgf {

struct Interval {
  double mean = 0;
  double low = 0;
  double high = 0;
  int64_t count = 0;  // number of values; 0: unknown
  double p = 1;       // two-sided p: share of resampled means across 0; small if the mean is far from 0

  bool is_above(double value) const { return count > 0 && low > value; }
  bool is_below(double value) const { return count > 0 && high < value; }
};

constexpr int64_t kMostSeeds = 64;  // maximum for resampling

struct BootstrapSettings {
  int64_t resamples = 2000;
  double confidence = 0.95;
  uint64_t seed = 1;
};

// Draws prompts, and seeds if there are several, with replacement; a drawn prompt counts for all seeds. The draws are
// made once per object, so that all its intervals use the same resamples.
class Bootstrap {
 public:
  Bootstrap(const BootstrapSettings& settings, int64_t prompts);

  // Percentile interval of the mean over [seed][prompt]; missing values are ignored.
  Interval of(const std::vector<PromptValues>& seeds) const;

 private:
  // How often each prompt and each seed was drawn.
  std::span<const float> counts_of(int64_t resample) const;
  std::vector<double> seeds_of(int64_t resample, size_t seeds) const;

  BootstrapSettings settings_;
  int64_t prompts_;
  std::vector<float> prompt_counts_;  // [resamples, prompts]: how often a prompt was drawn
  std::vector<uint64_t> seed_draws_;  // [resamples, kMostSeeds], modulo the number of seeds
};

// a - b, prompt by prompt; empty if either is.
PromptValues paired_difference(const PromptValues& a, const PromptValues& b);

}  // namespace sgf
