// metrics.jsonl: one JSON object per step, for people, jq and the report.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "sgf/files/append_file.h"
#include "sgf/runs/metrics_row.h"

namespace sgf {

// {"step":12,"critic_loss":0.25,"generator_loss":null,"non_finite":["generator_loss"]}: JSON has no NaN, so a value
// that is not finite is null and its name is listed.
std::string write_metrics_line(const MetricsRow& row);

struct MetricsHistory {
  std::vector<MetricsRow> rows;  // steps ascend; non-finite values are NaN
  std::string torn_line;         // an incomplete last line after a crash; usually empty
};

// Damage before the last line is an error that names the line. A missing file is an empty history.
MetricsHistory read_metrics(const std::filesystem::path& path);

// The steps among the first `steps_done` without a row: a log that was cut or removed leaves a gap.
std::vector<StepGap> missing_steps(const std::vector<MetricsRow>& rows, int64_t steps_done);
std::string describe_gaps(const std::vector<StepGap>& gaps);  // "steps 3 to 7 and step 9"; empty for none

// What resuming dropped, for a message to the user.
struct MetricsCut {
  int64_t kept = 0;
  int64_t dropped = 0;  // rows after the resumed step, which the run repeats
  std::string torn_line;
  std::vector<int64_t> damaged_lines;  // numbers of unreadable lines, starting at 1; their steps have no row now
  std::filesystem::path original;      // a copy of the file before the cut, if lines were damaged
};

// Keeps the rows up to `last_step` byte for byte. The file is replaced atomically; if it has unreadable lines, the
// original is kept as NAME.damaged.
MetricsCut cut_metrics(const std::filesystem::path& path, int64_t last_step);

// Appends rows; a row is handed to the operating system when append() returns.
class MetricsLog {
 public:
  // Steps must ascend: cut the file of an earlier run first.
  explicit MetricsLog(const std::filesystem::path& path);

  void append(const MetricsRow& row);
  void sync() { file_.sync(); }

 private:
  int64_t last_step_ = -1;
  AppendFile file_;
};

}  // namespace sgf
