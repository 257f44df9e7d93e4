// The scores of the demo's long videos as a table and as curves, for the page and the terminal. Torch-free.
#pragma once

#include "sgf/evaluation/segment_metrics.h"

#include <string>
#include <vector>

namespace sgf {

// A source of videos for the demo's prompts: "student", "SF", "SGF" or "true clips".
struct DemoContestant {
  std::string name;
  ScoreTable scores;  // by training length
};

struct DemoTable {
  std::vector<std::string> head;
  std::vector<std::vector<std::string>> rows;
};

// Contestants in their order: student, SF, SGF, true clips.
inline constexpr size_t kSfPlace = 1, kSgfPlace = 2, kContestants = 4;

// Means over prompts in the first and the last training length, one row per contestant.
DemoTable score_table_of(const std::vector<DemoContestant>& contestants);

// `b` - `a` in the last training length, prompt by prompt: mean and interval, one row per metric.
DemoTable difference_table(const DemoContestant& a, const DemoContestant& b);

// `b` compared with `a` in the last training length, in two sentences: valid frames with the interval of the
// difference, and whether the interval excludes zero.
struct DemoHeadline {
  std::string result;
  std::string meaning;
};
DemoHeadline headline_of(const DemoContestant& a, const DemoContestant& b);

// A curve per contestant for each metric, over training lengths: means over prompts. Inline SVG.
std::string score_charts(const std::vector<DemoContestant>& contestants);

// The colour of a contestant in the curves. The last one is the true clips, in the grey of the study.
const char* colour_of(size_t contestant, size_t contestants);

}  // namespace sgf
