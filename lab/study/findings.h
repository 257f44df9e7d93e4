// What the arms of a study say: intervals, differences within pairs, and whether the study had a question to ask.
// Torch-free.
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
  int64_t length = 1;  // the segment ends at so many training lengths
  Interval sf, sgf;
  Interval difference;        // SGF - SF, paired by prompt within each pair, over prompts and pairs
  std::vector<double> pairs;  // its mean in each pair
  Verdict verdict = Verdict::kNoDifference;
  bool holds = false;  // of the headline: a difference even when all headline comparisons are asked together
};

// An arm's metric over time.
struct ArmCurve {
  std::string arm;  // "truth", "initial", "SF", "SGF"
  std::string metric;
  std::vector<int64_t> lengths;
  std::vector<Interval> values;
};

// How much further the initial student is from its beginning than a true clip of the same prompt, as time goes on.
struct Growth {
  std::string metric;
  std::vector<double> student, truth;  // at the horizons
  std::vector<Interval> steps;         // growth of student - truth from each horizon to the next
  bool does_grow = false;              // at every step, by its interval
};

struct SinkFinding {
  std::string arm;
  int64_t sink = 0;
  std::vector<Interval> headline;  // in the order of the recipe's metrics
};

struct GranularityFindings {
  Granularity granularity = Granularity::kChunkwise;
  std::vector<int64_t> pairs;  // the numbers of those whose two arms are there
  int64_t planned_pairs = 0;
  int64_t twice_pairs = 0;                 // of those for twice the steps
  int64_t updates = 0, twice_updates = 0;  // of the generator in a run; 0 where none tells
  std::vector<std::string> missing;        // arms
  std::vector<Comparison> comparisons;
  std::vector<ArmCurve> curves;
  std::vector<Change> changes;                       // of SF and SGF since the initial student, at the horizons
  std::vector<ArmCurve> twice_curves;                // of the pairs that were trained for twice the steps too
  std::vector<Change> twice_changes;                 // since the initial student and the usual steps; of SGF against SF
  std::optional<double> teacher_valid, truth_valid;  // shares of valid frames at 1x; nothing without the arm
  std::vector<Closeness> closeness;                  // empty without teacher or initial student
  std::vector<Growth> growth;                        // empty without truth or initial student
  std::vector<SinkFinding> sinks;
  std::vector<std::string> unmatched;     // in words, where two arms of a pair did not see the same draws
  std::vector<std::string> other_starts;  // in words, where a run did not start from the initial student's weights
};

// Of the arms that are there.
GranularityFindings find_out(const Study& study, Granularity granularity, const std::vector<StudyArm>& planned,
                             const std::vector<ArmResult>& results);

}  // namespace sgf
