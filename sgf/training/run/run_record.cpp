#include "sgf/training/run/run_record.h"

#include "sgf/core/error.h"
#include "sgf/dataset/prompt_list.h"
#include "sgf/files/atomic_file.h"
#include "sgf/files/mapped_file.h"
#include "sgf/media/sample_files.h"
#include "sgf/training/run/health.h"
#include "sgf/training/run/report_page.h"
#include "sgf/training/run/stage_files.h"
#include "sgf/training/update_schedule.h"

#include <ATen/ATen.h>
#include <fmt/format.h>

#include <algorithm>
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

std::vector<ReportStrip> strips_of(const fs::path& folder) {
  std::vector<ReportStrip> strips;
  const std::vector<std::string> prompts = read_prompts(folder / kPromptsFile);
  for (size_t i = 0; i < prompts.size(); ++i) {
    const fs::path picture = folder / fmt::format("{}.png", i);
    if (!fs::exists(picture)) continue;
    strips.push_back({fmt::format("{}: {}", folder.filename().string(), prompts[i]),
                      std::string(MappedFile::open(picture)->text())});
  }
  return strips;
}

MetricsRow as_row(int64_t step, const StepMetrics& metrics) {
  MetricsRow row{.step = step};
  for (const auto& [name, value] : metrics) row.metrics.push_back({name, value});
  return row;
}

std::vector<std::pair<std::string, std::string>> run_facts(const Config& c, int64_t steps_done,
                                                           const std::string& device) {
  std::vector<std::pair<std::string, std::string>> facts{{"stage", std::string(enum_name(c.train.stage))},
                                                         {"steps", fmt::format("{} of {}", steps_done, c.train.steps)},
                                                         {"device", device},
                                                         {"global batch", std::to_string(c.train.global_batch)}};
  if (c.train.stage != StageChoice::kDmd) return facts;
  const UpdateCounts counts = update_schedule(c.dmd).counts_after(steps_done);
  facts.emplace_back("updates", fmt::format("{} of the generator, {} of the critic", counts.generator, counts.critic));
  facts.emplace_back("boundary", std::string(enum_name(c.dmd.boundary)));
  return facts;
}

bool is_due(int64_t steps_done, int64_t every) { return every > 0 && steps_done % every == 0; }

}  // namespace

DueOutputs due_after(int64_t steps_done, const OutputSettings& output) {
  return {.samples = is_due(steps_done, output.sample_every),
          .checkpoint = is_due(steps_done, output.checkpoint_every),
          .report = is_due(steps_done, output.report_every)};
}

std::vector<ReportStrip> write_samples(const fs::path& folder, int64_t step, const Stage& stage,
                                       const Conditioning& surroundings, uint64_t seed) {
  const fs::path place = folder / fmt::format("step_{:08}", step);
  fs::create_directories(place);
  const at::Tensor text = surroundings.text->encode(surroundings.sample_prompts);
  const at::Tensor latents = stage.sample(text, seed);
  for (int64_t i = 0; i < latents.size(0); ++i) {  // one by one: pixel frames are far larger than latents
    const at::Tensor video = surroundings.codec->decode(latents.narrow(0, i, 1))[0];
    write_sample(place / std::to_string(i), video.to(at::kFloat).clamp(0, 1).cpu());
  }
  write_lines(place / kPromptsFile, surroundings.sample_prompts);
  return strips_of(place);
}

std::vector<ReportStrip> read_samples(const fs::path& folder, int64_t steps) {
  std::vector<ReportStrip> strips;
  for (const fs::path& place : sample_folders(folder)) {
    if (steps-- == 0) break;
    std::ranges::move(strips_of(place), std::back_inserter(strips));
  }
  return strips;
}

RunRecord::RunRecord(const Config& config, RunFolder folder, int64_t steps_done, nlohmann::json facts)
    : config_(config), folder_(std::move(folder)), device_(facts.at("device").get<std::string>()) {
  facts["first_step"] = steps_done;
  folder_.add_facts(facts);
  cut_metrics(folder_.metrics_file(), steps_done - 1);
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

void RunRecord::save_samples(const Stage& stage, const Conditioning& surroundings, int64_t steps_done) {
  const auto strips =
      write_samples(folder_.samples_folder(), steps_done, stage, surroundings, static_cast<uint64_t>(config_.run.seed));
  if (!events_) return;
  for (size_t i = 0; i < strips.size(); ++i)
    events_->add_image(steps_done - 1, fmt::format("sample/{}", i), strips[i].png);
}

void RunRecord::save_report(int64_t steps_done) {
  constexpr int64_t kShownSamples = 3;
  const MetricsHistory history = read_metrics(folder_.metrics_file());
  sgf::save_report(folder_.report_file(),
                   {.title = fmt::format("{} ({})", config_.name, enum_name(config_.train.stage)),
                    .facts = run_facts(config_, steps_done, device_),
                    .verdict = judge_health(history.rows),
                    .rows = history.rows,
                    .gaps = missing_steps(history.rows, steps_done),
                    .strips = read_samples(folder_.samples_folder(), kShownSamples)});
}

}  // namespace sgf
