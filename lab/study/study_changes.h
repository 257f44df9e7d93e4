// What training changed: arms against the student they started from. Torch-free.
#pragma once

#include "lab/study/arm_file.h"
#include "lab/study/bootstrap.h"
#include "sgf/core/enum_names.h"

#include <array>
#include <string>
#include <vector>

namespace sgf {

enum class Verdict { kBetter, kWorse, kNoDifference };

constexpr auto enum_names(Verdict) {
  return std::array{EnumName{Verdict::kBetter, "better"}, EnumName{Verdict::kWorse, "worse"},
                    EnumName{Verdict::kNoDifference, "no difference seen"}};
}

// Of A, from the interval of A - B: a difference is one that the interval sets apart from 0, and whose mean is not
// smaller than `least`.
Verdict verdict_of(const Interval& difference, Better better, double least = 0);

// Of questions that are asked together those that are answered still, by their p (Holm): the smallest p is held against
// level / n, the next one against level / (n - 1), until one fails.
std::vector<bool> answered_together(const std::vector<double>& p, double level);

// The runs of one kind of arm, a run a pair.
struct ArmRuns {
  std::string words;  // "SF", "initial"
  std::vector<const ArmResult*> runs;
};

// One metric in one segment.
struct Change {
  std::string arm, start;  // in words
  std::string metric;
  int64_t length = 1;   // the segment ends at so many training lengths
  Interval difference;  // arm - start, paired by prompt, over prompts and runs
  Verdict verdict = Verdict::kNoDifference;
};

// Of all metrics that have a better direction, at each of the lengths; none without runs. `start` has one run for all,
// or one for each of the arm's.
std::vector<Change> changes_since(const ArmRuns& start, const ArmRuns& arm, const std::vector<int64_t>& lengths,
                                  const Study& study, const Bootstrap& bootstrap);

// In words, where a run's weights did not come from those that the initial student was evaluated with; else empty.
std::string other_start_words(const ArmResult& run, const ArmResult& initial);

}  // namespace sgf
