#include "sgf/evaluation/video_scores.h"

#include "sgf/core/error.h"
#include "sgf/core/first_line.h"
#include "sgf/evaluation/eval_totals.h"
#include "sgf/files/sha256.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include <algorithm>
#include <memory>
#include <optional>

namespace sgf {
namespace {

constexpr const char* kStaticTask = "static_filter";

ClipPlan plan_of(const VideoFacts& facts, const EvalSwitches& switches) {
  if (switches.protocol == EvalProtocol::kVbenchLong)
    return split_into_clips(facts.fps, facts.pictures, switches.clip_seconds);
  return {.clips = {{0, facts.pictures}}, .fps = facts.fps, .is_whole = true};
}

// Increase it when scores change for the same files and switches: it invalidates cached scores.
constexpr int64_t kArithmetic = 2;  // 2: convolutions on a GPU without TF32

bool is_clip_score(const nlohmann::json& kept) {
  const auto has_number = [&](const char* name) { return kept.contains(name) && kept[name].is_number(); };
  return kept.is_object() && has_number("score") && has_number("weight");
}

}  // namespace

at::Tensor next_pictures(FrameSource& source, int64_t most) {
  const at::Tensor pictures = at::empty({most, source.height(), source.width(), 3}, at::kByte);
  int64_t count = 0;
  while (count < most) {
    const std::optional<RgbImage> picture = source.next();
    if (!picture) break;
    std::ranges::copy(picture->pixels, pictures[count++].data_ptr<uint8_t>());
  }
  return pictures.narrow(0, 0, count);
}

// A video being scored.
struct VideoScorer::Video {
  std::string prompt;
  std::string identity;
  VideoFacts facts;
  std::unique_ptr<VideoClips> clips;
};

// Scores of one kind for all clips: cached and new ones.
struct VideoScorer::Task {
  std::string name;
  nlohmann::json key;
  nlohmann::json scores;  // by clip number; null: not yet computed
  std::function<std::unique_ptr<VideoMetric>()> make;
  std::unique_ptr<VideoMetric> running;
  std::string error;

  bool lacks(size_t clip) const { return error.empty() && !is_clip_score(scores.at(clip)); }
};

std::string video_identity(const std::filesystem::path& file) {
  if (!std::filesystem::is_directory(file)) return sha256_of_file(file);
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(file))
    if (entry.is_regular_file()) files.push_back(entry.path());
  std::ranges::sort(files);
  Sha256 all;
  for (const auto& one : files) all.update(one.filename().string() + "\n" + sha256_of_file(one) + "\n");
  return all.hex();
}

VideoScorer::Video VideoScorer::open_video(const ListedVideo& video) const {
  SGF_CHECK(video.prompt.has_value(), "{}: is not in the list of prompts", video.file.string());
  Video opened{.prompt = *video.prompt,
               .identity = video_identity(video.file),
               .facts = look_at_video(video.file, setting_.switches.fps),
               .clips = nullptr};
  const EvalSwitches& switches = setting_.switches;
  const bool reencodes = switches.protocol == EvalProtocol::kVbenchLong && switches.reencodes;
  opened.clips = std::make_unique<VideoClips>(video.file, plan_of(opened.facts, switches), reencodes);
  return opened;
}

VideoScorer::Task VideoScorer::task(std::string name, const std::vector<const VbenchFile*>& files,
                                    const Video& video) const {
  nlohmann::json hashes = nlohmann::json::array();
  Task made;
  for (const VbenchFile* file : files) {
    const auto found = setting_.weights.find(std::string(file->path));
    if (found == setting_.weights.end()) made.error = fmt::format("{} is missing", file->path);
    if (found != setting_.weights.end()) hashes.push_back(found->second);
  }
  made.key = {{"video", video.identity},   {"score", name},
              {"weights", hashes},         {"device", setting_.device.is_cuda() ? "cuda" : "cpu"},
              {"arithmetic", kArithmetic}, {"switches", clip_switches(setting_.switches)}};
  made.name = std::move(name);
  const size_t clips = video.clips->plan().clips.size();
  made.scores = cache_.find(made.key);
  if (!made.scores.is_array() || made.scores.size() != clips) made.scores = nlohmann::json(clips, nullptr);
  return made;
}

std::vector<VideoScorer::Task> VideoScorer::clip_tasks(const Video& video) {
  std::vector<Task> tasks;
  const double fps = video.clips->plan().fps;
  for (const VbenchMetric metric : setting_.metrics) {
    tasks.push_back(task(std::string(enum_name(metric)), files_of(metric, false), video));
    tasks.back().make = [this, metric, fps] { return make_metric(metric, fps, networks_); };
    if (metric != VbenchMetric::kFlicker || !setting_.switches.static_filter) continue;
    tasks.push_back(task(kStaticTask, {&kRaftFile}, video));
    tasks.back().make = [this] { return std::make_unique<StaticMetric>(networks_.raft()); };
  }
  return tasks;
}

// Gives all frames to all tasks; a task that fails is skipped from then on.
void VideoScorer::feed(FrameSource& source, std::vector<Task*> tasks) const {
  const auto guarded = [](Task& task, const std::function<void()>& step) {
    try {
      step();
    } catch (const std::exception& error) {
      task.error = first_line(error);
    }
  };
  for (Task* task : tasks) guarded(*task, [&] { task->running = task->make(); });
  for (;;) {
    std::erase_if(tasks, [](const Task* task) { return !task->error.empty(); });
    const at::Tensor pictures = next_pictures(source, setting_.batch);
    if (pictures.size(0) == 0 || tasks.empty()) return;
    const at::Tensor placed = pictures.to(setting_.device);
    for (Task* task : tasks) guarded(*task, [&] { task->running->add(placed); });
  }
}

void VideoScorer::run_clip(std::vector<Task>& tasks, Video& video, size_t clip) {
  std::vector<Task*> lacking;
  for (Task& task : tasks) {
    const bool is_wanted = task.name != kStaticTask || choice_.wants(video.prompt);
    if (is_wanted && task.lacks(clip)) lacking.push_back(&task);
  }
  if (!lacking.empty()) feed(*video.clips->open(clip), lacking);
  for (Task* task : lacking) {
    if (!task->error.empty()) continue;
    try {
      const MetricScore score = task->running->score();
      task->scores[clip] = {{"score", score.value}, {"weight", score.weight}};
      cache_.keep(task->key, task->scores);
    } catch (const std::exception& error) {
      task->error = first_line(error);
    }
    task->running.reset();
  }
}

// The raw score over the first frames of all clips; null for a video of one clip.
nlohmann::json VideoScorer::between_clips(VbenchMetric metric, Video& video) {
  if (video.clips->plan().clips.size() < 2) return nullptr;
  const std::string name = fmt::format("{} between clips", enum_name(metric));
  Task one = task(name, files_of(metric, true), video);
  SGF_CHECK(one.error.empty(), "{}, but slow-fast fusion needs it; use --no-slow-fast", one.error);
  if (one.scores[0].is_number()) return one.scores[0];
  one.make = [this, metric] { return make_between_clips(metric, networks_); };
  feed(*video.clips->open_first_pictures(), {&one});
  SGF_CHECK(one.error.empty(), "{}", one.error);
  one.scores[0] = one.running->score().value;
  cache_.keep(one.key, one.scores);
  return one.scores[0];
}

// The clips on which flicker is measured, in the order in which RAFT tests them.
void VideoScorer::count_static_clips(nlohmann::json& entry, const std::vector<Task>& tasks, const Video& video) {
  const auto filter = std::ranges::find(tasks, kStaticTask, &Task::name);
  SGF_CHECK(filter != tasks.end() && filter->error.empty(), "the static filter: {}",
            filter != tasks.end() ? filter->error : "is missing");
  for (size_t clip = 0; clip < entry["clips"].size(); ++clip) {
    const nlohmann::json& found = filter->scores.at(clip);
    const bool counts = choice_.wants(video.prompt) && found.is_object() && found.at("score").get<double>() == 1;
    if (counts) choice_.take(video.prompt);
    entry["clips"][clip]["counted"] = counts;
  }
}

nlohmann::json VideoScorer::entry_of(VbenchMetric metric, const std::vector<Task>& tasks, Video& video) {
  const auto found = std::ranges::find(tasks, enum_name(metric), &Task::name);
  if (!found->error.empty()) return {{"error", found->error}};
  nlohmann::json entry{{"clips", nlohmann::json::array()}};
  const std::vector<FrameSpan>& spans = video.clips->plan().clips;
  for (size_t clip = 0; clip < spans.size(); ++clip) {
    nlohmann::json one = found->scores.at(clip);
    one["begin"] = spans[clip].begin;
    one["end"] = spans[clip].end;
    entry["clips"].push_back(one);
  }
  const EvalSwitches& switches = setting_.switches;
  const bool fuses = switches.protocol == EvalProtocol::kVbenchLong && switches.slow_fast && is_consistency(metric);
  if (fuses) fuse_row(entry, metric, between_clips(metric, video));
  if (metric == VbenchMetric::kFlicker && switches.static_filter) count_static_clips(entry, tasks, video);
  set_row_value(entry);
  return entry;
}

nlohmann::json VideoScorer::score(const ListedVideo& video, const GoOn& go_on) {
  const at::NoGradGuard no_grad;
  nlohmann::json row{{"file", video.file.string()}, {"prompt", video.prompt ? nlohmann::json(*video.prompt) : nullptr}};
  try {
    Video opened = open_video(video);
    row.update({{"sha256", opened.identity},
                {"width", opened.facts.width},
                {"height", opened.facts.height},
                {"frames", opened.facts.pictures},
                {"fps", opened.facts.fps},
                {"metrics", nlohmann::json::object()}});
    std::vector<Task> tasks = clip_tasks(opened);
    const size_t clips = opened.clips->plan().clips.size();
    for (size_t clip = 0; clip < clips; ++clip) {
      if (!go_on(static_cast<int64_t>(clip), static_cast<int64_t>(clips))) throw EvaluationStopped();
      run_clip(tasks, opened, clip);
    }
    for (const VbenchMetric metric : setting_.metrics) {
      nlohmann::json& entry = row["metrics"][std::string(enum_name(metric))];
      try {
        entry = entry_of(metric, tasks, opened);
      } catch (const std::exception& error) {
        entry = {{"error", first_line(error)}};
      }
    }
  } catch (const EvaluationStopped&) {
    throw;
  } catch (const std::exception& error) {
    row["error"] = first_line(error);
  }
  return row;
}

}  // namespace sgf
