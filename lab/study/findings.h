// The findings from the arms of a study: intervals, differences within pairs, and preconditions. Torch-free.
#pragma once

#include "lab/study/arm_file.h"
#include "lab/study/study_changes.h"
#include "lab/study/study_closeness.h"

#include <optional>
#include <string>
#include <vector>

namespace sgf {

// One metric in one segment, over all pairs.
struct Comparison {
  std::string metric;
  int64_t length = 1;  // the segment ends at this many training lengths
  Interval sf, sgf;
  Interval difference;        // SGF - SF, paired by prompt within each pair, over prompts and pairs
  std::vector<double> pairs;  // its mean in each pair
  Verdict verdict = Verdict::kNoDifference;
  bool holds = false;  // for headline metrics: a difference even with Holm's correction
};

// An arm's metric over time.
struct ArmCurve {
  std::string arm;  // "truth", "initial", "SF", "SGF"
  std::string metric;
  std::vector<int64_t> lengths;
  std::vector<Interval> values;
};

// How much more the initial student drifts from its first frames than a true clip of the same prompt, over time.
struct Growth {
  std::string metric;
  std::vector<double> student, truth;  // at the horizons
  std::vector<Interval> steps;         // growth of student - truth between horizons
  bool does_grow = false;              // at every step, judged by its interval
};

struct SinkFinding {
  std::string arm;
  int64_t sink = 0;
  std::vector<Interval> headline;  // in the order of the recipe's metrics
};

struct GranularityFindings {
  Granularity granularity = Granularity::kChunkwise;
  std::vector<int64_t> pairs;  // numbers of the pairs with both arms
  int64_t planned_pairs = 0;
  int64_t twice_pairs = 0;                 // pairs with twice the steps
  int64_t updates = 0, twice_updates = 0;  // generator updates of a run; 0 if unknown
  std::vector<std::string> missing;        // arms
  std::vector<Comparison> comparisons;
  std::vector<ArmCurve> curves;
  std::vector<Change> changes;                       // of SF and SGF since the initial student, at the horizons
  std::vector<ArmCurve> twice_curves;                // of the pairs with twice the steps
  std::vector<Change> twice_changes;                 // since the initial student and the usual steps; of SGF against SF
  std::optional<double> teacher_valid, truth_valid;  // shares of valid frames at 1x; empty without the arm
  std::vector<Closeness> closeness;                  // empty without teacher or initial student
  std::vector<Growth> growth;                        // empty without truth or initial student
  std::vector<SinkFinding> sinks;
  std::vector<std::string> unmatched;     // descriptions of pairs whose arms did not see the same draws
  std::vector<std::string> other_starts;  // descriptions of runs that did not start from the initial student's weights
};

// From the existing arms.
GranularityFindings find_out(const Study& study, Granularity granularity, const std::vector<StudyArm>& planned,
                             const std::vector<ArmResult>& results);

}  // namespace sgf
