// The page that the demo leaves.
#pragma once

#include "sgf/evaluation/demo.h"
#include "sgf/training/html_page.h"
#include "sgf/training/metrics_row.h"

#include <string>
#include <vector>

namespace sgf {

// A training arm's curves.
struct DemoArm {
  std::string name;
  std::vector<MetricsRow> rows;
};

std::string write_demo_page(const DemoResult& result, const std::vector<DemoArm>& arms,
                            const std::vector<ReportStrip>& strips, int64_t rollout_frames);

// The table of the page and of the terminal: head, then a row a contestant.
std::vector<std::string> demo_table_head();
std::vector<std::vector<std::string>> demo_table(const DemoResult& result);

}  // namespace sgf
