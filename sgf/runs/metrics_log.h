// metrics.jsonl: one JSON object a step, to be read by people, by jq and by the report.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "sgf/files/append_file.h"
#include "sgf/runs/metrics_row.h"

namespace sgf {

// {"step":12,"critic_loss":0.25,"generator_loss":null,"non_finite":["generator_loss"]}: JSON has no NaN, so a value
// that is not finite is null, and named.
std::string write_metrics_line(const MetricsRow& row);

struct MetricsHistory {
  std::vector<MetricsRow> rows;  // steps ascend; what was not finite is NaN
  std::string torn_line;         // the end of a write that a crash cut short; empty mostly
};

// Damage before the last line is an error that names the line. No file is an empty history.
MetricsHistory read_metrics(const std::filesystem::path& path);

// Which of the first `steps_done` steps the rows do not tell of: a log that was cut or removed leaves a gap.
std::vector<StepGap> missing_steps(const std::vector<MetricsRow>& rows, int64_t steps_done);
std::string describe_gaps(const std::vector<StepGap>& gaps);  // "steps 3 to 7 and step 9"; empty for none

// What resuming dropped, for a word to the user.
struct MetricsCut {
  int64_t kept = 0;
  int64_t dropped = 0;  // rows past the resumed step: the run makes them again
  std::string torn_line;
};

// Keeps the rows up to `last_step` as they are, byte for byte. The file is replaced at once or not at all.
MetricsCut cut_metrics(const std::filesystem::path& path, int64_t last_step);

// Appends rows; a row is in the system's hands when append() returns.
class MetricsLog {
 public:
  // A file of an earlier run is cut first where it must be: steps have to ascend.
  explicit MetricsLog(const std::filesystem::path& path);

  void append(const MetricsRow& row);
  void sync() { file_.sync(); }

 private:
  int64_t last_step_ = -1;
  AppendFile file_;
};

}  // namespace sgf
