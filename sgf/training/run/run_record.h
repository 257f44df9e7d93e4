// Writes to the run folder during a run: metrics, events, checkpoints, samples, the report.
#pragma once

#include "sgf/config/config.h"
#include "sgf/runs/metrics_log.h"
#include "sgf/runs/run_folder.h"
#include "sgf/training/build_stage.h"
#include "sgf/training/run/event_file.h"
#include "sgf/training/run/report_page.h"
#include "sgf/training/stage.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

namespace sgf {

// Which outputs are due after a step. The last step always gets a checkpoint and a report.
struct DueOutputs {
  bool samples = false;
  bool checkpoint = false;
  bool report = false;

  bool operator==(const DueOutputs&) const = default;
};
DueOutputs due_after(int64_t steps_done, const OutputSettings& output);

// Writes step_XXXXXXXX/N.png (one strip per sample), N.mp4 if the build supports video, and prompts.txt into `folder`.
// Returns the strips for the report.
std::vector<ReportStrip> write_samples(const std::filesystem::path& folder, int64_t step, const Stage& stage,
                                       const Conditioning& surroundings, uint64_t seed);

// Strips of the newest saved steps, newest first.
std::vector<ReportStrip> read_samples(const std::filesystem::path& folder, int64_t steps);

// Only the first rank has one.
class RunRecord {
 public:
  // `steps_done` is the step of the checkpoint that the run resumes from: later metrics are repeated.
  RunRecord(const Config& config, RunFolder folder, int64_t steps_done, nlohmann::json facts);

  // Steps before this start that have no metrics.
  std::vector<StepGap> missing_before() const { return missing_before_; }

  void note(int64_t step, const StepMetrics& metrics);
  void save_checkpoint(const Stage& stage, int64_t steps_done);
  void save_samples(const Stage& stage, const Conditioning& surroundings, int64_t steps_done);
  void save_report(int64_t steps_done);

 private:
  const Config& config_;
  RunFolder folder_;
  std::string device_;
  std::vector<StepGap> missing_before_;
  std::optional<MetricsLog> metrics_;
  std::optional<EventFile> events_;
};

}  // namespace sgf
