// Changes by training: arms compared with their initial student. Torch-free.
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

// The verdict on A from the interval of A - B: a difference needs an interval without 0 and a mean of at least `least`.
Verdict verdict_of(const Interval& difference, Better better, double least = 0);

// Holm's correction: which of several questions stay significant. The smallest p is compared with level / n, the next
// one with level / (n - 1), until one fails.
std::vector<bool> answered_together(const std::vector<double>& p, double level);

// The runs of one kind of arm, one per pair.
struct ArmRuns {
  std::string words;  // "SF", "initial"
  std::vector<const ArmResult*> runs;
};

// One metric in one segment.
struct Change {
  std::string arm, start;  // for display
  std::string metric;
  int64_t length = 1;   // the segment ends at this many training lengths
  Interval difference;  // arm - start, paired by prompt, over prompts and runs
  Verdict verdict = Verdict::kNoDifference;
};

// For all metrics with a direction, at each length; empty without runs. `start` has one run for all, or one per run of
// the arm.
std::vector<Change> changes_since(const ArmRuns& start, const ArmRuns& arm, const std::vector<int64_t>& lengths,
                                  const Study& study, const Bootstrap& bootstrap);

// A description if a run did not start from the weights that the initial student was evaluated with; else empty.
std::string other_start_words(const ArmResult& run, const ArmResult& initial);

}  // namespace sgf
