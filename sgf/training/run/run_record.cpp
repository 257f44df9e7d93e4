#include "sgf/training/run/run_record.h"

#include "sgf/core/counted.h"
#include "sgf/core/error.h"
#include "sgf/core/notice.h"
#include "sgf/dataset/prompt_list.h"
#include "sgf/files/atomic_file.h"
#include "sgf/files/mapped_file.h"
#include "sgf/media/sample_files.h"
#include "sgf/training/run/health.h"
#include "sgf/training/run/report_page.h"
#include "sgf/training/run/sample_quality.h"
#include "sgf/training/run/stage_files.h"
#include "sgf/training/update_schedule.h"

#include <ATen/ATen.h>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>

namespace sgf {
namespace {

namespace fs = std::filesystem;

constexpr const char* kPromptsFile = "prompts.txt";

void write_lines(const fs::path& path, const std::vector<std::string>& lines) {
  AtomicFile file(path);
  for (const std::string& line : lines) file.write(line + '\n');
  file.commit();
}

std::vector<fs::path> sample_folders(const fs::path& folder) {
  std::vector<fs::path> folders;
  for (const auto& entry : fs::directory_iterator(folder))
    if (entry.is_directory() && fs::exists(entry.path() / kPromptsFile)) folders.push_back(entry.path());
  std::ranges::sort(folders, std::greater<>());
  return folders;
}

// A page with larger videos would be slow to reload; the strip stands in for them.
constexpr uintmax_t kMostVideoBytes = 4 << 20;

// Empty where there is none that a browser plays.
std::string playable_video(const fs::path& file) {
  if (!fs::exists(file) || fs::file_size(file) > kMostVideoBytes) return "";
  const std::string bytes(MappedFile::open(file)->text());
  return bytes.find("avc1") == std::string::npos ? "" : bytes;  // the sample entry of H.264
}

// "update 100" of the folder step_00000100.
std::string update_of(const fs::path& folder) {
  const std::string name = folder.filename().string(), prefix = "step_";
  int64_t update = 0;
  const char* end = name.data() + name.size();
  const bool is_update =
      name.starts_with(prefix) && std::from_chars(name.data() + prefix.size(), end, update).ptr == end;
  return is_update ? fmt::format("update {}", update) : name;
}

std::vector<ReportSample> samples_of(const fs::path& folder, bool with_videos) {
  std::vector<ReportSample> samples;
  const std::vector<std::string> prompts = read_prompts(folder / kPromptsFile);
  for (size_t i = 0; i < prompts.size(); ++i) {
    const fs::path strip = folder / fmt::format("{}.png", i);
    if (!fs::exists(strip)) continue;
    samples.push_back({.caption = fmt::format("{}: {}", update_of(folder), prompts[i]),
                       .png = std::string(MappedFile::open(strip)->text()),
                       .mp4 = with_videos ? playable_video(folder / fmt::format("{}.mp4", i)) : ""});
  }
  return samples;
}

MetricsRow as_row(int64_t step, const StepMetrics& metrics) {
  MetricsRow row{.step = step};
  for (const auto& [name, value] : metrics) row.metrics.push_back({name, value});
  return row;
}

std::vector<std::pair<std::string, std::string>> run_facts(const Config& c, int64_t steps_done,
                                                           const std::string& device) {
  std::vector<std::pair<std::string, std::string>> facts{
      {"stage", std::string(enum_name(c.train.stage))},
      {"updates", fmt::format("{} of {}", steps_done, c.train.steps)},
      {"device", device},
      {"global batch", std::to_string(c.train.global_batch)}};
  if (c.train.stage != StageChoice::kDmd) return facts;
  const UpdateCounts counts = update_schedule(c.dmd).counts_after(steps_done);
  facts.emplace_back("generator updates", fmt::format("{}", counts.generator));
  facts.emplace_back("critic updates", fmt::format("{}", counts.critic));
  facts.emplace_back("boundary", std::string(enum_name(c.dmd.boundary)));
  return facts;
}

void say_damage(const fs::path& metrics, const MetricsCut& cut) {
  if (cut.damaged_lines.empty()) return;
  const std::string text = fmt::format("{}: {} cannot be read, the first is line {}; the original is kept as {}",
                                       metrics.string(), counted(std::ssize(cut.damaged_lines), "line"),
                                       cut.damaged_lines.front(), cut.original.filename().string());
  notice_once(text, text);
}

bool is_due(int64_t steps_done, int64_t every) { return every > 0 && steps_done % every == 0; }

}  // namespace

DueOutputs due_after(int64_t steps_done, int64_t steps, const OutputSettings& output) {
  const bool is_last = steps_done == steps && output.sample_every > 0;
  return {.samples = is_last || is_due(steps_done, output.sample_every),
          .checkpoint = is_due(steps_done, output.checkpoint_every),
          .report = is_due(steps_done, output.report_every)};
}

WrittenSamples write_samples(const SampleOrder& order, const Stage& stage, const Conditioning& conditioning) {
  const fs::path place = order.folder / fmt::format("step_{:08}", order.step);
  fs::create_directories(place);
  const at::Tensor text = conditioning.text->encode(conditioning.sample_prompts);
  const at::Tensor latents = stage.sample(text, order.seed);
  std::vector<StepMetrics> measured;
  for (int64_t i = 0; i < latents.size(0); ++i) {  // one by one: pixel frames are far larger than latents
    const at::Tensor video = conditioning.codec->decode(latents.narrow(0, i, 1))[0];
    measured.push_back(
        measure_sample({latents[i], video, conditioning.sample_prompts[static_cast<size_t>(i)], order.world}));
    write_sample(place / std::to_string(i), video.to(at::kFloat).clamp(0, 1).cpu());
  }
  write_lines(place / kPromptsFile, conditioning.sample_prompts);
  return {samples_of(place, false), mean_of_samples(measured)};
}

std::vector<ReportSample> read_samples(const fs::path& folder, int64_t steps) {
  std::vector<ReportSample> samples;
  for (const fs::path& place : sample_folders(folder)) {
    if (steps-- == 0) break;
    std::ranges::move(samples_of(place, samples.empty()), std::back_inserter(samples));
  }
  return samples;
}

RunRecord::RunRecord(const Config& config, RunFolder folder, int64_t steps_done, nlohmann::json facts)
    : config_(config),
      folder_(std::move(folder)),
      device_(facts.at("device").get<std::string>()),
      first_step_(steps_done) {
  facts["first_step"] = steps_done;
  folder_.add_facts(facts);
  say_damage(folder_.metrics_file(), cut_metrics(folder_.metrics_file(), steps_done - 1));
  missing_before_ = missing_steps(read_metrics(folder_.metrics_file()).rows, steps_done);
  metrics_.emplace(folder_.metrics_file());
  if (config.output.tensorboard)
    events_.emplace(folder_.events_folder(), steps_done == 0 ? std::nullopt : std::optional(steps_done));
}

void RunRecord::note(int64_t step, const StepMetrics& metrics) {
  const MetricsRow row = as_row(step, metrics);
  metrics_->append(row);
  if (events_) events_->add_scalars(row);
}

void RunRecord::save_checkpoint(const Stage& stage, int64_t steps_done) {
  const CheckpointStore store = folder_.checkpoints();
  if (store.newest() != steps_done) {
    metrics_->sync();
    store.save(steps_done, [&](const std::filesystem::path& place) {
      write_stage_files(place, stage.state(), config_.model, steps_done);
    });
  }
  // Also if the checkpoint of this step exists: a kill may have come between the two.
  store.prune({.last = config_.output.keep_last, .every = config_.output.keep_every});
}

StepMetrics RunRecord::save_samples(const Stage& stage, const Conditioning& conditioning, int64_t steps_done) {
  const WrittenSamples samples = write_samples({.folder = folder_.samples_folder(),
                                                .step = steps_done,
                                                .seed = static_cast<uint64_t>(config_.run.seed),
                                                .world = config_.data.clips.empty() ? config_.data.world : ""},
                                               stage, conditioning);
  for (size_t i = 0; events_ && i < samples.shown.size(); ++i)
    events_->add_image(steps_done - 1, fmt::format("sample/{}", i), samples.shown[i].png);
  return samples.metrics;
}

// Twice per report, so that a new one is soon seen; seldom enough to leave the reader in peace.
std::optional<ReportReload> RunRecord::reload_of(double steps_per_second) const {
  constexpr double kOften = 5, kSeldom = 120, kPatience = 3600;
  const double report_seconds = config_.output.report_every > 0 && steps_per_second > 0
                                    ? static_cast<double>(config_.output.report_every) / steps_per_second
                                    : 2 * kOften;
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return ReportReload{.seconds = static_cast<int64_t>(std::clamp(report_seconds / 2, kOften, kSeldom)),
                      .written = std::chrono::duration_cast<std::chrono::seconds>(now).count(),
                      .patience = static_cast<int64_t>(kPatience + 5 * report_seconds)};
}

void RunRecord::save_report(int64_t steps_done, const std::string& end) {
  constexpr int64_t kShownSamples = 3;
  const MetricsHistory history = read_metrics(folder_.metrics_file());
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - started_;
  folder_.note_wall_time(elapsed.count());
  const double speed = static_cast<double>(steps_done - first_step_) / std::max(elapsed.count(), 1e-9);
  std::vector<std::pair<std::string, std::string>> facts = run_facts(config_, steps_done, device_);
  std::ranges::move(time_facts({.wall_seconds = folder_.wall_time(),
                                .steps_per_second = speed,
                                .steps_left = end.empty() ? config_.train.steps - steps_done : 0}),
                    std::back_inserter(facts));
  sgf::save_report(folder_.report_file(),
                   {.title = fmt::format("{} ({})", config_.name, enum_name(config_.train.stage)),
                    .end = end,
                    .reload = end.empty() ? reload_of(speed) : std::nullopt,
                    .facts = std::move(facts),
                    .verdict = judge_health(history.rows),
                    .rows = history.rows,
                    .gaps = missing_steps(history.rows, steps_done),
                    .samples = read_samples(folder_.samples_folder(), kShownSamples)});
}

}  // namespace sgf
