// report.html: how a run went, on one page that needs nothing but itself: no network, no script, no other file.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "sgf/training/health.h"
#include "sgf/training/metrics_row.h"

namespace sgf {

// A picture of a fixed prompt: frames side by side.
struct ReportStrip {
  std::string caption;
  std::string png;  // a whole PNG file
};

struct ReportContents {
  std::string title;
  std::vector<std::pair<std::string, std::string>> facts;  // name and value, as shown: step, device, build
  HealthVerdict verdict;
  std::vector<MetricsRow> rows;
  std::vector<ReportStrip> strips;  // newest first
};

std::string write_report(const ReportContents& contents);

// The page is replaced at once or not at all: a browser may be looking.
void save_report(const std::filesystem::path& path, const ReportContents& contents);

}  // namespace sgf
