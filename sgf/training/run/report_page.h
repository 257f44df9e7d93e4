// report.html: how a run went, on one page that needs nothing but itself: no network, no script, no other file.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "sgf/report/html_page.h"
#include "sgf/runs/metrics_row.h"
#include "sgf/training/run/health.h"

namespace sgf {

struct ReportContents {
  std::string title;
  std::vector<std::pair<std::string, std::string>> facts;  // name and value, as shown: step, device, build
  HealthVerdict verdict;
  std::vector<MetricsRow> rows;
  std::vector<StepGap> gaps;        // steps that were made and have no row
  std::vector<ReportStrip> strips;  // newest first
};

std::string write_report(const ReportContents& contents);

void save_report(const std::filesystem::path& path, const ReportContents& contents);

}  // namespace sgf
