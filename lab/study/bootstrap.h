// Intervals of means by resampling, without a model of how values scatter. Torch-free.
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
  int64_t count = 0;  // values that there were; 0: nothing is known
  double p = 1;       // how often a resampled mean is not on this side of 0, for both sides: small where 0 is far away

  bool is_above(double value) const { return count > 0 && low > value; }
  bool is_below(double value) const { return count > 0 && high < value; }
};

constexpr int64_t kMostSeeds = 64;  // that can be resampled

struct BootstrapSettings {
  int64_t resamples = 2000;
  double confidence = 0.95;
  uint64_t seed = 1;
};

// Draws prompts, and of several seeds seeds too, with replacement; a prompt drawn is drawn for all seeds. The draws are
// made once, so that all that one object is asked about is resampled alike.
class Bootstrap {
 public:
  Bootstrap(const BootstrapSettings& settings, int64_t prompts);

  // Percentile interval of the mean over seeds and prompts of [seed][prompt]; empty values do not count.
  Interval of(const std::vector<PromptValues>& seeds) const;

 private:
  // How often each prompt, and each of so many seeds, was drawn.
  std::span<const float> counts_of(int64_t resample) const;
  std::vector<double> seeds_of(int64_t resample, size_t seeds) const;

  BootstrapSettings settings_;
  int64_t prompts_;
  std::vector<float> prompt_counts_;  // [resamples, prompts]: how often a prompt was drawn
  std::vector<uint64_t> seed_draws_;  // [resamples, kMostSeeds], to be taken modulo the number of seeds
};

// a - b, prompt by prompt; empty where either is.
PromptValues paired_difference(const PromptValues& a, const PromptValues& b);

}  // namespace sgf
