// What a run leaves in its folder while it goes on: metrics, events, checkpoints, samples, the report.
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

// What a run leaves after so many steps; beside it the last step's checkpoint and report.
struct DueOutputs {
  bool samples = false;
  bool checkpoint = false;
  bool report = false;

  bool operator==(const DueOutputs&) const = default;
};
DueOutputs due_after(int64_t steps_done, const OutputSettings& output);

// Writes step_XXXXXXXX/N.png, a strip each, N.mp4 where the build knows videos, and prompts.txt into `folder`; gives
// the strips for the report.
std::vector<ReportStrip> write_samples(const std::filesystem::path& folder, int64_t step, const Stage& stage,
                                       const Conditioning& surroundings, uint64_t seed);

// Those of the newest steps that are there, newest first.
std::vector<ReportStrip> read_samples(const std::filesystem::path& folder, int64_t steps);

// Held by the first rank alone.
class RunRecord {
 public:
  // `steps_done` are those of the checkpoint that the run goes on from: metrics past it are made again.
  RunRecord(const Config& config, RunFolder folder, int64_t steps_done, nlohmann::json facts);

  // Steps before this start that the metrics do not tell of.
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
