// The findings as sentences that follow only from the intervals. Torch-free.
#pragma once

#include "lab/study/findings.h"

#include <string>
#include <vector>

namespace sgf {

std::string words_of(Granularity granularity);  // "chunk-wise"
// "0.412 [0.380, 0.444]"; "-" if unknown.
std::string words_of(const Interval& interval);
std::string words_of(Whole whole);  // "share", "1 - error", "none"
// "+12.5 %"; "-" if unknown.
std::string percent_words(double share);

// "chunk-wise, valid frames at 12x: SGF better, SGF - SF = +0.031 [0.010, 0.052]; 4 of 5 pairs in its favour"
std::string sentence_of(Granularity granularity, const Comparison& comparison);

// The outcomes of the headline comparisons at the horizons: each alone, and with Holm's correction.
struct Tally {
  int64_t better = 0, worse = 0, none = 0;
  int64_t better_holds = 0, worse_holds = 0;
};
Tally tally_of(const Study& study, const GranularityFindings& findings);
std::string sentence_of(Granularity granularity, const Tally& tally, int64_t pairs);

// Whether the teacher is good, the initial student is close to it at one length, and its error grows over time.
struct PreconditionVerdict {
  bool has_good_teacher = false;
  bool is_close = false;
  bool does_grow = false;
  std::vector<std::string> sentences;
};
// Whether it is a headline metric that has a whole.
bool does_decide(const Study& study, const Closeness& closeness);
PreconditionVerdict judge_precondition(const Study& study, const GranularityFindings& findings);

// The change of the initial student by training: one sentence per arm and horizon, by the headline metrics. Names all
// metrics that got worse.
std::vector<std::string> start_sentences(const Study& study, const GranularityFindings& findings);

// Whether at 1x an arm got worse on a headline metric, after the usual or twice the steps: find the cause before
// comparing the arms.
bool is_worse_than_start(const Study& study, const GranularityFindings& findings);

// The same after twice the steps, and SGF against SF there; empty if the recipe does not ask for it.
std::vector<std::string> twice_sentences(const Study& study, const GranularityFindings& findings);

// Whether the preconditions hold, and training made no arm worse.
bool is_sound(const Study& study, const GranularityFindings& findings);

// The summary, one sentence per item.
std::vector<std::string> conclusions_of(const Study& study, const GranularityFindings& findings);

}  // namespace sgf
