#include "sgf/training/run/train_run.h"

#include "sgf/assembly/networks_from_config.h"
#include "sgf/assembly/start_sources.h"
#include "sgf/assembly/train_needs.h"
#include "sgf/core/counted.h"
#include "sgf/core/device.h"
#include "sgf/core/device_memory.h"
#include "sgf/core/error.h"
#include "sgf/core/notice.h"
#include "sgf/core/stop_signal.h"
#include "sgf/files/mapped_file.h"
#include "sgf/runs/checkpoint_store.h"
#include "sgf/training/build_stage.h"
#include "sgf/training/run/run_record.h"
#include "sgf/training/run/run_terms.h"
#include "sgf/training/run/stage_files.h"

#include <ATen/Parallel.h>

#include <algorithm>
#include <optional>

namespace sgf {
namespace {

// Settings that a resumed run may change: length, output, device and batch split.
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

// Each rank of a host uses its own GPU.
c10::Device device_of(const Config& config, const Ranks& ranks) {
  const c10::Device device = device_of(config.run.device);
  if (!device.is_cuda() || ranks.size() == 1) return device;
  return device_from_name(fmt::format("cuda:{}", ranks.place().local_rank));
}

// Teachers, clips and pairs may change too if their identities are recorded: the same content may have a new path.
std::vector<std::string> free_keys_of(const std::filesystem::path& run) {
  std::vector<std::string> keys = kFreeKeys;
  for (const StartSource& source : read_start_sources(run / "facts.json"))
    if (source.key.ends_with(".teacher") || source.key.starts_with("data.")) keys.push_back(source.key);
  return keys;
}

// A cosine ends at the last step: another number of steps changes the rate of every step.
void refuse_other_length(const Config& now, const std::filesystem::path& run) {
  const bool has_cosine = now.optimiser.decay == RateDecay::kCosine ||
                          (now.train.stage == StageChoice::kDmd && now.critic_optimiser.decay == RateDecay::kCosine);
  if (!has_cosine) return;
  const std::shared_ptr<const MappedFile> before = MappedFile::open(run / "config.yaml");
  for (const ConfigDifference& d : compare_configs(before->text(), to_yaml(now)))
    SGF_CHECK(
        d.key != "train.steps",
        "{}: train.steps was {} and is now {}, but the cosine of the learning rate ends at train.steps, so the rates "
        "of earlier steps would change; keep {}, or start a new run (--out) from this one's weights (train.start_from)",
        run.string(), d.before, d.now, d.before);
}

// Called before weights are loaded: an unusable folder fails at once, and an unusable config creates no folder.
std::optional<RunFolder> open_earlier_run(const TrainRequest& request) {
  if (!is_run_folder(request.out)) return std::nullopt;
  SGF_CHECK(request.resume, "{}: already holds a run; pass --resume, or choose another folder with --out",
            request.out.string());
  std::error_code error;
  SGF_CHECK(std::filesystem::file_size(request.out / "config.yaml", error) > 0 && !error,
            "{}: config.yaml is empty, so it is not known what was trained here; restore it, or choose another folder "
            "with --out",
            request.out.string());
  refuse_other_length(request.config, request.out);
  const std::optional<int64_t> made = CheckpointStore(request.out / "checkpoints").newest();
  SGF_CHECK(!made || *made <= request.config.train.steps,
            "{}: the run has made {} updates, but train.steps is {}; set it to {} or more, or start a new run (--out)",
            request.out.string(), made.value_or(0), request.config.train.steps, made.value_or(0));
  return RunFolder::open(request.out, to_yaml(request.config), free_keys_of(request.out));
}

// Compared before weights are loaded and folders are created or opened.
RunTerms terms_of(const TrainRequest& request) {
  RunTerms terms = config_terms(request.config);
  std::ranges::copy(source_terms(data_sources(request.config)), std::back_inserter(terms));
  terms.push_back({"--resume", request.resume ? "given" : "not given"});
  terms.push_back({"--stop-after", std::to_string(request.stop_after_steps)});
  return terms;
}

// The metrics of the progress line.
std::vector<ProgressNumber> shown_metrics(const StepMetrics& metrics) {
  std::vector<ProgressNumber> shown;
  for (const char* name : {"generator_loss", "critic_loss", "recovery_relative_l2"})
    if (const auto found = metrics.find(name); found != metrics.end()) shown.push_back({name, found->second});
  return shown;
}

class TrainRun {
 public:
  TrainRun(const TrainRequest& request, const Ranks& ranks);
  TrainResult run();

 private:
  int64_t choose_checkpoint();
  void warn_always(const std::string& text);
  std::vector<StartSource> choose_sources();
  void embed_prompts();
  int64_t last_step() const;
  void restore();
  void open_record(std::optional<RunFolder> earlier);
  void take_step();
  TrainResult end(TrainEnd how, const std::string& reason);

  const TrainRequest& request_;
  const Config& config_;
  const Ranks& ranks_;
  c10::Device device_;
  ProgressLine progress_;
  NoticeScope notices_;
  std::vector<std::string> passed_over_;  // descriptions of damaged checkpoints; on the first rank
  Conditioning conditioning_;
  std::vector<StartSource> sources_;
  std::unique_ptr<Stage> stage_;
  std::optional<RunRecord> record_;  // on the first rank
  int64_t steps_done_ = 0;
  StepReport last_;
};

TrainRun::TrainRun(const TrainRequest& request, const Ranks& ranks)
    : request_(request),
      config_(request.config),
      ranks_(ranks),
      device_(device_of(config_, ranks)),
      progress_({.mode = ranks.is_first() ? request.progress : ProgressMode::kQuiet,
                 .total_steps = config_.train.steps,
                 .unit = "update"},
                request.output),
      notices_([this](const std::string& text) { warn_always(text); }) {
  ranks.agree([&] { return terms_of(request); });
  if (request.resume && !is_run_folder(request.out))
    progress_.say(fmt::format("{}: no run to resume, starting a new one", request.out.string()));
  std::optional<RunFolder> earlier = ranks.is_first() ? open_earlier_run(request) : std::nullopt;
  ranks.barrier();  // the others read the folder only after leftovers of a crash are removed
  steps_done_ = choose_checkpoint();
  const std::vector<std::string> needs = unmet_needs(config_);
  SGF_CHECK(needs.empty(), "{}", needs.front());
  sources_ = choose_sources();
  ranks.agree([&] { return source_terms(sources_); });
  const Config started = with_start_sources(config_, sources_);
  check_weights_of_stage(started);  // before anything is on the device
  conditioning_ = build_conditioning(config_, device_, [this](const std::string& text) { warn_always(text); });
  embed_prompts();
  stage_ = build_stage(started, conditioning_, device_, ranks);
  restore();
  if (ranks.is_first()) open_record(std::move(earlier));
}

// The files recorded by earlier starts, if any.
std::vector<StartSource> TrainRun::choose_sources() {
  const bool is_earlier = is_run_folder(request_.out);
  const std::vector<StartSource> recorded =
      is_earlier ? read_start_sources(request_.out / "facts.json") : std::vector<StartSource>{};
  return choose_start_sources(config_, recorded, steps_done_ > 0,
                              [&](const std::string& text) { progress_.say(text); });
}

// The prompts of a file are known before the first step. A large text encoder is not kept beside the networks.
void TrainRun::embed_prompts() {
  const PromptsSeen seen = [this](int64_t done, int64_t all) {
    if (done == 0)
      progress_.say(fmt::format("encoding {}, after which the text encoder is freed", counted(all, "prompt")));
    else if (done == all)
      progress_.say(fmt::format("encoded {}", counted(all, "prompt")));
  };
  conditioning_.text->encode_ahead(prompts_of_steps(config_, conditioning_, ranks_, steps_done_, last_step()), seen);
}

// The step before which this start ends.
int64_t TrainRun::last_step() const {
  const int64_t all = config_.train.steps;
  return request_.stop_after_steps > 0 ? std::min(all, steps_done_ + request_.stop_after_steps) : all;
}

// The newest intact checkpoint, or step 0; the first rank decides for all. Damaged checkpoints are renamed: their steps
// will be saved again, and pruning must not count them.
int64_t TrainRun::choose_checkpoint() {
  CheckpointChoice choice;
  if (ranks_.is_first() && is_run_folder(request_.out)) {
    const CheckpointStore store(request_.out / "checkpoints");
    choice = store.choose();
    for (const std::string& damage : choice.passed_over) warn_always("skipped a damaged checkpoint: " + damage);
    for (const int64_t step : choice.damaged)
      warn_always(fmt::format("the damaged checkpoint was renamed to {}", store.set_aside(step).string()));
    if (!choice.step && !choice.passed_over.empty())
      warn_always("all checkpoints are damaged: the run starts again at update 0");
    std::error_code error;
    const std::filesystem::path metrics = request_.out / "metrics.jsonl";
    if (!choice.step && choice.passed_over.empty() && std::filesystem::file_size(metrics, error) > 0 && !error)
      warn_always(fmt::format("{} holds no checkpoint: the run starts again at update 0",
                              (request_.out / "checkpoints").string()));
  }
  passed_over_ = choice.passed_over;
  return static_cast<int64_t>(ranks_.gather({static_cast<double>(choice.step.value_or(0))}).front().front());
}

// Also without progress: --quiet must not hide damage.
void TrainRun::warn_always(const std::string& text) {
  if (!ranks_.is_first()) return;
  if (request_.progress != ProgressMode::kQuiet)
    progress_.say(text);
  else if (request_.warn)
    request_.warn(text);
}

// All ranks must have checked for the folder before the first one creates it.
void TrainRun::restore() {
  ranks_.barrier();
  if (steps_done_ == 0) return;
  const CheckpointStore store(request_.out / "checkpoints");
  // The folder may have other paths on other hosts.
  ranks_.agree([&] { return checkpoint_terms(store.folder_of(steps_done_)); });
  const std::string rot = store.find_rot(steps_done_, [](const std::string&) { return true; });
  SGF_CHECK(rot.empty(), "{}: this rank reads different bytes than were saved: {}",
            store.folder_of(steps_done_).string(), rot);
  stage_->restore(read_stage_files(store.folder_of(steps_done_), steps_done_));
  progress_.say(fmt::format("resuming after update {}", steps_done_));
}

void TrainRun::open_record(std::optional<RunFolder> earlier) {
  nlohmann::json facts = request_.facts;
  facts["device"] = device_.str();
  facts["ranks"] = ranks_.size();
  facts["sources"] = to_json(sources_);
  if (!passed_over_.empty()) facts["passed_over"] = passed_over_;
  RunFolder folder = earlier ? std::move(*earlier) : RunFolder::create(request_.out, to_yaml(config_));
  record_.emplace(config_, std::move(folder), steps_done_, std::move(facts));
  record_->save_report(steps_done_);  // a page to open now, which reloads itself from here on
  if (const std::vector<StepGap> gaps = record_->missing_before(); !gaps.empty())
    warn_always(
        fmt::format("{}: lacks metrics of {}: the file was truncated, damaged or removed; the run continues, and its "
                    "report shows the "
                    "gap",
                    (request_.out / "metrics.jsonl").string(), describe_gaps(gaps)));
}

TrainResult TrainRun::run() {
  const StopSignal signal;
  const int64_t last = last_step();
  while (steps_done_ < last) {
    take_step();
    if (!last_.stop.empty()) return end(TrainEnd::kUnsound, last_.stop);
    if (ranks_.any(signal.received() != 0)) return end(TrainEnd::kStopped, "stopped by a signal");
  }
  if (steps_done_ < config_.train.steps) return end(TrainEnd::kStopped, "--stop-after is reached");
  return end(TrainEnd::kDone, "");
}

void TrainRun::take_step() {
  last_ = stage_->step(steps_done_);
  ++steps_done_;
  for (const std::string& warning : last_.warnings) warn_always(warning);
  progress_.show({.step = steps_done_,
                  .numbers = shown_metrics(last_.metrics),
                  .memory_bytes = static_cast<double>(peak_memory_bytes(device_))});
  if (!record_) return;
  const DueOutputs due = due_after(steps_done_, config_.train.steps, config_.output);
  // Samples first: their metrics belong to the row of this step, and a row is written once.
  StepMetrics metrics = last_.metrics;
  if (due.samples) metrics.merge(record_->save_samples(*stage_, conditioning_, steps_done_));
  record_->note(steps_done_ - 1, metrics);
  if (due.checkpoint) record_->save_checkpoint(*stage_, steps_done_);
  if (due.report) record_->save_report(steps_done_);
}

TrainResult TrainRun::end(TrainEnd how, const std::string& reason) {
  if (record_) {
    record_->save_checkpoint(*stage_, steps_done_);
    record_->save_report(steps_done_, how == TrainEnd::kDone ? "all updates are done" : reason);
  }
  ranks_.barrier();  // no rank ends before the checkpoint is on disk
  progress_.finish();
  return {how, steps_done_, reason};
}

}  // namespace

void check_goes_on(const std::filesystem::path& run, const Config& config) {
  if (!is_run_folder(run)) return;
  refuse_other_length(config, run);
  check_config_of_run(run, to_yaml(config), free_keys_of(run));
}

TrainResult run_training(const TrainRequest& request, const Ranks& ranks) {
  if (request.config.run.threads > 0) at::set_num_threads(static_cast<int>(request.config.run.threads));
  TrainResult result;
  ranks.guard([&] { result = TrainRun(request, ranks).run(); });
  return result;
}

}  // namespace sgf
