#include "sgf/training/train_run.h"

#include "sgf/core/device.h"
#include "sgf/core/device_memory.h"
#include "sgf/core/error.h"
#include "sgf/training/build_stage.h"
#include "sgf/training/config_parts.h"
#include "sgf/training/event_file.h"
#include "sgf/training/health.h"
#include "sgf/training/metrics_log.h"
#include "sgf/training/report_page.h"
#include "sgf/training/run_folder.h"
#include "sgf/training/run_samples.h"
#include "sgf/training/stage_files.h"
#include "sgf/training/stop_signal.h"
#include "sgf/training/update_schedule.h"

#include <ATen/Parallel.h>
#include <nlohmann/json.hpp>

#include <optional>

namespace sgf {
namespace {

namespace fs = std::filesystem;

// What a resumed run may change: how long it goes on, what it leaves, where it computes.
const std::vector<std::string> kFreeKeys{"name",
                                         "description",
                                         "output",
                                         "train.steps",
                                         "train.stop_after_skips",
                                         "train.stop_over_recovery",
                                         "train.micro_batch",
                                         "train.activations",
                                         "run.device",
                                         "run.threads",
                                         "run.attention"};

bool is_due(int64_t steps_done, int64_t every) { return every > 0 && steps_done % every == 0; }

c10::Device device_of(const Config& config) { return device_from_name(enum_name(config.run.device)); }

// Before any weight is read: a folder that cannot be used is refused at once, and a config that cannot be used leaves
// no folder behind.
std::optional<RunFolder> open_earlier_run(const TrainRequest& request) {
  if (!is_run_folder(request.out)) return std::nullopt;
  check(request.resume, "training",
        "{}: holds a run already; --resume goes on with it, --out gives the new one a place", request.out.string());
  return RunFolder::open(request.out, to_yaml(request.config), kFreeKeys);
}

RunFolder opened_or_new(std::optional<RunFolder> earlier, const TrainRequest& request) {
  return earlier ? std::move(*earlier) : RunFolder::create(request.out, to_yaml(request.config));
}

MetricsRow as_row(int64_t step, const StepMetrics& metrics) {
  MetricsRow row{.step = step};
  for (const auto& [name, value] : metrics) row.metrics.push_back({name, value});
  return row;
}

// The numbers that fit in a line.
std::vector<Metric> shown_metrics(const StepMetrics& metrics) {
  std::vector<Metric> shown;
  for (const char* name : {"generator_loss", "critic_loss", "recovery_relative_l2"})
    if (const auto found = metrics.find(name); found != metrics.end()) shown.push_back({name, found->second});
  return shown;
}

class TrainRun {
 public:
  TrainRun(const TrainRequest& request, std::optional<RunFolder> earlier)
      : request_(request),
        config_(request.config),
        device_(device_of(config_)),
        surroundings_(build_surroundings(config_, device_)),
        stage_(build_stage(config_, surroundings_, device_)),
        folder_(opened_or_new(std::move(earlier), request)),
        progress_({.mode = request.progress, .total_steps = config_.train.steps}, request.output) {
    nlohmann::json facts = request.facts;
    facts["device"] = device_.str();
    steps_done_ = resume();
    facts["first_step"] = steps_done_;
    folder_.add_facts(facts);
    metrics_.emplace(folder_.metrics_file());
    if (config_.output.tensorboard)
      events_.emplace(folder_.events_folder(), steps_done_ == 0 ? std::nullopt : std::optional(steps_done_));
  }

  TrainResult run();

 private:
  int64_t resume();
  void take_step();
  void write_checkpoint();
  void write_report();
  void show_samples();
  TrainResult end(TrainEnd how, const std::string& reason);

  const TrainRequest& request_;
  const Config& config_;
  c10::Device device_;
  StageSurroundings surroundings_;
  std::unique_ptr<Stage> stage_;
  RunFolder folder_;
  ProgressLine progress_;
  std::optional<MetricsLog> metrics_;
  std::optional<EventFile> events_;
  int64_t steps_done_ = 0;
  StepReport last_;
};

// The newest whole checkpoint, or the beginning. Metrics past it are made again.
int64_t TrainRun::resume() {
  const CheckpointStore store = folder_.checkpoints();
  for (const std::string& damage : store.survey().damaged) progress_.say("passed over: " + damage);
  const int64_t step = store.newest().value_or(0);
  if (step > 0) {
    stage_->restore(read_stage_files(store.folder_of(step), step));
    progress_.say(fmt::format("resuming after step {}", step));
  }
  cut_metrics(folder_.metrics_file(), step - 1);
  return step;
}

TrainResult TrainRun::run() {
  const StopSignal signal;
  const int64_t last = request_.stop_after_steps > 0
                           ? std::min(config_.train.steps, steps_done_ + request_.stop_after_steps)
                           : config_.train.steps;
  while (steps_done_ < last) {
    take_step();
    if (!last_.stop.empty()) return end(TrainEnd::kUnsound, last_.stop);
    if (signal.received() != 0) return end(TrainEnd::kStopped, fmt::format("signal {}", signal.received()));
  }
  if (steps_done_ < config_.train.steps) return end(TrainEnd::kStopped, "as many steps as this start was to make");
  return end(TrainEnd::kDone, "");
}

void TrainRun::take_step() {
  const int64_t step = steps_done_;
  last_ = stage_->step(step);
  ++steps_done_;
  const MetricsRow row = as_row(step, last_.metrics);
  metrics_->append(row);
  if (events_) events_->add_scalars(row);
  for (const std::string& warning : last_.warnings) progress_.say(warning);
  progress_.show({.step = steps_done_,
                  .losses = shown_metrics(last_.metrics),
                  .memory_bytes = static_cast<double>(peak_memory_bytes(device_))});
  if (is_due(steps_done_, config_.output.sample_every)) show_samples();
  if (is_due(steps_done_, config_.output.checkpoint_every)) write_checkpoint();
  if (is_due(steps_done_, config_.output.report_every)) write_report();
}

void TrainRun::write_checkpoint() {
  const CheckpointStore store = folder_.checkpoints();
  if (store.newest() == steps_done_) return;
  metrics_->sync();
  store.save(steps_done_, [&](const fs::path& place) {
    write_stage_files(place, stage_->state(), dit_config_of(config_), steps_done_);
  });
  store.prune({.last = config_.output.keep_last, .every = config_.output.keep_every});
}

void TrainRun::show_samples() {
  const auto strips = write_samples(folder_.samples_folder(), steps_done_, *stage_, surroundings_,
                                    static_cast<uint64_t>(config_.run.seed));
  if (!events_) return;
  for (size_t i = 0; i < strips.size(); ++i)
    events_->add_image(steps_done_ - 1, fmt::format("sample/{}", i), strips[i].png);
}

void TrainRun::write_report() {
  constexpr int64_t kShownSamples = 3;
  const MetricsHistory history = read_metrics(folder_.metrics_file());
  ReportContents contents{.title = fmt::format("{} ({})", config_.name, enum_name(config_.train.stage)),
                          .verdict = judge_health(history.rows),
                          .rows = history.rows,
                          .strips = read_samples(folder_.samples_folder(), kShownSamples)};
  contents.facts = {{"stage", std::string(enum_name(config_.train.stage))},
                    {"steps", fmt::format("{} of {}", steps_done_, config_.train.steps)},
                    {"device", device_.str()},
                    {"global batch", std::to_string(config_.train.global_batch)}};
  if (config_.train.stage == StageChoice::kDmd) {
    const UpdateSchedule schedule{config_.dmd.generator_every, config_.dmd.generator_at_zero,
                                  config_.dmd.critic_only_steps};
    const UpdateCounts counts = schedule.counts_after(steps_done_);
    contents.facts.emplace_back("updates",
                                fmt::format("{} of the generator, {} of the critic", counts.generator, counts.critic));
    contents.facts.emplace_back("boundary", std::string(enum_name(config_.dmd.boundary)));
  }
  save_report(folder_.report_file(), contents);
}

TrainResult TrainRun::end(TrainEnd how, const std::string& reason) {
  write_checkpoint();
  write_report();
  progress_.finish();
  return {how, steps_done_, reason};
}

}  // namespace

TrainResult run_training(const TrainRequest& request) {
  if (request.config.run.threads > 0) at::set_num_threads(static_cast<int>(request.config.run.threads));
  return TrainRun(request, open_earlier_run(request)).run();
}

}  // namespace sgf
