// Statistics of raters' answers: the preference for A, its interval, and the agreement of raters. Torch-free.
#pragma once

#include "lab/preference/rater_answers.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace sgf {

// Good: A is better; bad: B is.
enum class PairVerdict { kGood, kSame, kBad };

struct GsbCount {
  int64_t good = 0, same = 0, bad = 0;

  int64_t total() const { return good + same + bad; }
  std::optional<double> preference() const;  // (G - B) / (G + S + B), from -1 to 1; empty without answers
};

struct PreferenceInterval {
  double low = 0, high = 0;
};

struct RaterScore {
  std::string rater;
  GsbCount count;
  int64_t open = 0;  // pairs without an answer
};

struct RaterAgreement {
  int64_t pairs = 0;            // pairs that every rater answered
  double raw = 0;               // probability that two random raters agree on a pair
  std::optional<double> kappa;  // Cohen's for two raters, Fleiss' for more; empty if agreement by chance is 1
};

struct PreferenceScore {
  std::vector<RaterScore> raters;
  std::vector<GsbCount> pairs;  // over raters, in display order
  GsbCount all;
  int64_t open = 0;
  std::optional<PreferenceInterval> interval;  // 95 % of the preference; empty with fewer than two answered pairs
  std::optional<RaterAgreement> agreement;     // empty without a pair that all raters answered
  int64_t chose_left = 0, chose_right = 0;     // regardless of the method: a large difference means a side bias
};

// One row per rater, one verdict per pair.
using PairVerdictTable = std::vector<std::vector<std::optional<PairVerdict>>>;

PairVerdictTable verdicts_of(const std::vector<RaterAnswers>& answers, const std::vector<bool>& a_is_left);

std::optional<RaterAgreement> agreement_of(const PairVerdictTable& verdicts);

// Percentiles 2.5 and 97.5 of the preference over resamples of pairs, each with all its answers.
std::optional<PreferenceInterval> bootstrap_preference(const std::vector<GsbCount>& pairs, int64_t resamples,
                                                       int64_t seed);

struct ResampleSettings {
  int64_t resamples = 10000;
  int64_t seed = 0;
};

PreferenceScore score_preference(const std::vector<RaterAnswers>& answers, const std::vector<bool>& a_is_left,
                                 const ResampleSettings& bootstrap);

}  // namespace sgf
