// The scores of the demo's long videos as a table and as curves, for the page and the terminal. Torch-free.
#pragma once

#include "sgf/evaluation/segment_metrics.h"

#include <string>
#include <vector>

namespace sgf {

// One who makes videos of the demo's prompts: "student", "SF", "SGF", or the world itself, "truth".
struct DemoContestant {
  std::string name;
  ScoreTable scores;  // by training length
};

struct DemoTable {
  std::vector<std::string> head;
  std::vector<std::vector<std::string>> rows;
};

// Means over prompts in the first and the last training length, one row per contestant.
DemoTable score_table_of(const std::vector<DemoContestant>& contestants);

// `b` - `a` in the last training length, prompt by prompt: mean and interval, one row per metric.
DemoTable difference_table(const DemoContestant& a, const DemoContestant& b);

// What the last training length says of `b` against `a`, in two sentences: valid frames with the interval of their
// difference, and whether it is evidence at all. An interval that includes zero is none.
struct DemoHeadline {
  std::string result;
  std::string meaning;
};
DemoHeadline headline_of(const DemoContestant& a, const DemoContestant& b);

// A curve per contestant for each metric, over training lengths: means over prompts. Inline SVG.
std::string score_charts(const std::vector<DemoContestant>& contestants);

// A contestant's colour in the curves; the truth comes last among them, and has the study's grey.
const char* colour_of(size_t contestant, size_t contestants);

}  // namespace sgf
