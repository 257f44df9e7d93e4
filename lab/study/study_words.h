// What was found, in sentences that follow from the intervals and nothing else. Torch-free.
#pragma once

#include "lab/study/findings.h"

#include <string>
#include <vector>

namespace sgf {

std::string words_of(Granularity granularity);  // "chunk-wise"
// "0.412 [0.380, 0.444]"; "-" where nothing is known.
std::string words_of(const Interval& interval);
std::string words_of(Whole whole);  // "share", "1 - error", "none"
// "+12.5 %"; "-" where nothing is known.
std::string percent_words(double share);

// "chunk-wise, valid frames at 12x: SGF better, SGF - SF = +0.031 [0.010, 0.052]; 4 of 5 pairs in its favour"
std::string sentence_of(Granularity granularity, const Comparison& comparison);

// How the headline comparisons at the horizons came out, for or against: each alone, and when asked together.
struct Tally {
  int64_t better = 0, worse = 0, none = 0;
  int64_t better_holds = 0, worse_holds = 0;
};
Tally tally_of(const Study& study, const GranularityFindings& findings);
std::string sentence_of(Granularity granularity, const Tally& tally, int64_t pairs);

// Whether the teacher was worth learning from, the initial student good enough at one length, and whether it forgets
// as time goes on.
struct PreconditionVerdict {
  bool has_good_teacher = false;
  bool is_close = false;
  bool does_grow = false;
  std::vector<std::string> sentences;
};
// Whether it is one of the headline metrics that have a whole.
bool does_decide(const Study& study, const Closeness& closeness);
PreconditionVerdict judge_precondition(const Study& study, const GranularityFindings& findings);

// What became of the initial student in training: a sentence an arm and horizon, by the headline metrics; all metrics
// that got worse are named.
std::vector<std::string> start_sentences(const Study& study, const GranularityFindings& findings);

// Whether at 1x an arm got worse on a headline metric, after the usual steps or twice those: then find out why before
// the two are compared.
bool is_worse_than_start(const Study& study, const GranularityFindings& findings);

// Whether that stays so for twice the steps, and SGF against SF there; nothing where the recipe does not ask.
std::vector<std::string> twice_sentences(const Study& study, const GranularityFindings& findings);

// Whether the preconditions hold, and training made no arm worse.
bool is_sound(const Study& study, const GranularityFindings& findings);

// All of it for a reader in a hurry, a sentence each.
std::vector<std::string> conclusions_of(const Study& study, const GranularityFindings& findings);

}  // namespace sgf
