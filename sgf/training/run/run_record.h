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

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace sgf {

// Which outputs are due after a step. The last one of a run gets samples if any step does, and always a checkpoint and
// a report.
struct DueOutputs {
  bool samples = false;
  bool checkpoint = false;
  bool report = false;

  bool operator==(const DueOutputs&) const = default;
};
DueOutputs due_after(int64_t steps_done, int64_t steps, const OutputSettings& output);

struct SampleOrder {
  std::filesystem::path folder;  // of all samples of the run
  int64_t step = 0;
  uint64_t seed = 0;
  std::string world;  // the world preset of the data, or empty
};

struct WrittenSamples {
  std::vector<ReportSample> shown;
  StepMetrics metrics;  // mean values, see sample_quality.h
};

// Writes step_XXXXXXXX/N.png (one strip per sample), N.mp4 if the build supports video, and prompts.txt.
WrittenSamples write_samples(const SampleOrder& order, const Stage& stage, const Conditioning& conditioning);

// Samples of the newest steps, newest first; with videos for the newest step only, if browsers can play them.
std::vector<ReportSample> read_samples(const std::filesystem::path& folder, int64_t steps);

// Only the first rank has one.
class RunRecord {
 public:
  // `steps_done` is the step of the checkpoint that the run resumes from: later metrics are repeated.
  RunRecord(const Config& config, RunFolder folder, int64_t steps_done, nlohmann::json facts);

  // Steps before this start that have no metrics.
  std::vector<StepGap> missing_before() const { return missing_before_; }

  void note(int64_t step, const StepMetrics& metrics);
  void save_checkpoint(const Stage& stage, int64_t steps_done);
  // Metrics of the samples, for the row of the last step: append it afterwards.
  StepMetrics save_samples(const Stage& stage, const Conditioning& conditioning, int64_t steps_done);
  // Of a run that lives on, or of one that has ended: `end` says how.
  void save_report(int64_t steps_done, const std::string& end = "");

 private:
  std::optional<ReportReload> reload_of(double steps_per_second) const;

  const Config& config_;
  RunFolder folder_;
  std::string device_;
  int64_t first_step_ = 0;  // of this start
  std::chrono::steady_clock::time_point started_ = std::chrono::steady_clock::now();
  std::vector<StepGap> missing_before_;
  std::optional<MetricsLog> metrics_;
  std::optional<EventFile> events_;
};

}  // namespace sgf
