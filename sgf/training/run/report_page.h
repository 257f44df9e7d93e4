// report.html: how a run goes, on one page that needs neither network nor other files. While the run lives the page
// reloads itself.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sgf/report/html_page.h"
#include "sgf/runs/metrics_row.h"
#include "sgf/training/run/health.h"

namespace sgf {

// How the page reloads itself while its run is live.
struct ReportReload {
  int64_t seconds = 10;     // between two reloads
  int64_t written = 0;      // Unix time of the page
  int64_t patience = 3600;  // seconds without a newer page after which reloading stops: the run was killed
};

struct ReportSample {
  std::string caption;
  std::string png;  // a strip of frames
  std::string mp4;  // empty where browsers cannot play it, or it is too large
};

struct ReportContents {
  std::string title;
  std::string end;                                         // why the run ended, in words
  std::optional<ReportReload> reload;                      // nothing once it has ended
  std::vector<std::pair<std::string, std::string>> facts;  // name and value, as shown: step, device, build
  HealthVerdict verdict;
  std::vector<MetricsRow> rows;
  std::vector<StepGap> gaps;          // steps that were made and have no row
  std::vector<ReportSample> samples;  // newest first
};

struct RunTimes {
  double wall_seconds = 0;      // of all starts
  double steps_per_second = 0;  // of this start; 0: not known yet
  int64_t steps_left = 0;
};
// Wall time, speed and time left, as shown; what is not known is left out.
std::vector<std::pair<std::string, std::string>> time_facts(const RunTimes& times);

std::string write_report(const ReportContents& contents);

void save_report(const std::filesystem::path& path, const ReportContents& contents);

}  // namespace sgf
