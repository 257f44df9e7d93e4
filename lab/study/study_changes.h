// What training changed: arms against the student they started from. Torch-free.
#pragma once

#include "lab/study/arm_file.h"
#include "lab/study/study_verdict.h"

#include <string>
#include <vector>

namespace sgf {

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
