// Whether a training run looks well, from its metrics and its samples, in words and with what to try: users who train
// by distribution matching ask this more than anything else, and a loss alone does not answer it.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "sgf/core/enum_names.h"
#include "sgf/runs/metrics_row.h"

namespace sgf {

enum class HealthLevel {
  kGood,
  kWatch,  // look at the samples; also the verdict while it is too early to say
  kBad,    // more steps will hardly help
};

constexpr auto enum_names(HealthLevel) {
  return std::array{EnumName{HealthLevel::kGood, "good"}, EnumName{HealthLevel::kWatch, "watch"},
                    EnumName{HealthLevel::kBad, "bad"}};
}

struct HealthFinding {
  HealthLevel level = HealthLevel::kGood;
  std::string metric;
  std::string reason;
};

struct HealthVerdict {
  HealthLevel level = HealthLevel::kGood;  // the worst of the findings
  std::vector<HealthFinding> findings;     // worst first; empty where all is well
  std::vector<std::string> judged;         // metrics that had enough values
};

// Where a finding begins: `watch` and `bad`. All compare a median of late values with a median of early ones, so that
// a single spike says nothing. They are rules of thumb, wide enough that quiet runs pass.
struct HealthThresholds {
  int64_t minimum_values = 12;  // of a metric, before it is judged
  int64_t window = 50;          // values in a median at most; a third of the series where that is less

  struct Pair {
    double watch = 0;
    double bad = 0;
  };
  Pair critic_lag{1.5, 3};         // critic_loss, times its best median: the critic no longer follows the generator
  Pair norm_growth{3, 10};         // gradient norms, times their early median
  Pair latent_mean_shift{.25, 1};  // of latent_mean, in early latent_std
  Pair latent_std_ratio{1.25, 2};  // of latent_std, either way
  Pair motion_loss{2, 5};          // motion_energy, how many times less than early
  // recovery_relative_l2, as it is: Pass 2 repeats Pass 1 to rounding, about 1e-6 in float32 and 1e-2 in bfloat16.
  Pair recovery{.03, .1};
  Pair non_finite{.01, .2};  // share of late values of any metric that are NaN or infinite

  // The newest samples are judged by their own values (sample_quality.h): they come too seldom for medians. Each is a
  // reason to look, and bad only where earlier samples were better: a young run begins with noise.
  double noise_below = .4;     // sample_correlation: white noise has 0, clips of the world .8 and more
  double flat_below = .02;     // sample_contrast, five levels of 255: clips of the world have .1 and more
  double clipped_above = .25;  // sample_clipped: clips of the world have 0, white noise of their strength a tenth
  double valid_below = .1;     // sample_valid: true clips with other clips' captions have less
  Pair valid_loss{1.5, 3};     // sample_valid, times less than in the best sample so far, where that had .3 or more
};

// Rows in the order of their steps; metrics that never appear are not judged.
HealthVerdict judge_health(std::span<const MetricsRow> rows, const HealthThresholds& thresholds = {});

}  // namespace sgf
