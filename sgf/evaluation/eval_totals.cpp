#include "sgf/evaluation/eval_totals.h"

#include "sgf/core/error.h"
#include "sgf/files/json_integer.h"
#include "sgf/vbench/clip_scores.h"
#include "sgf/vbench/slow_fast.h"

#include <set>
#include <string>

namespace sgf {
namespace {

using nlohmann::json;

bool is_counted(const json& clip) { return clip.value("counted", true); }

// The clips of all rows with the metric, with the score of that name if they have it.
std::vector<ClipScore> clips_of(const json& rows, VbenchMetric metric, const char* score) {
  std::vector<ClipScore> clips;
  for (const json& row : rows) {
    const json metrics = row.value("metrics", json::object());
    const json entry = metrics.value(std::string(enum_name(metric)), json::object());
    if (entry.contains("error")) continue;
    for (const json& clip : entry.value("clips", json::array())) {
      if (!is_counted(clip)) continue;
      clips.push_back({.video = row.at("file").get<std::string>(),
                       .prompt = row.at("prompt").get<std::string>(),
                       .score = clip.contains(score) ? clip.at(score).get<double>() : clip.at("score").get<double>(),
                       .weight = integer_of(clip.at("weight"))});
    }
  }
  return clips;
}

int64_t videos_among(const std::vector<ClipScore>& clips) {
  std::set<std::string> videos;
  for (const ClipScore& clip : clips) videos.insert(clip.video);
  return static_cast<int64_t>(videos.size());
}

// The mean that the original uses.
const char* original_mean(VbenchMetric metric, const EvalSwitches& switches, bool all_are_one_clip) {
  const bool is_long = switches.protocol == EvalProtocol::kVbenchLong;
  if (metric == VbenchMetric::kFlicker && switches.static_filter) return "videos";
  if (!is_long) return is_consistency(metric) ? "frames" : "videos";
  // Without fusion, VBench-Long returns VBench's own value for the subject.
  if (metric == VbenchMetric::kSubject && switches.slow_fast && all_are_one_clip) return "frames";
  return "clips";
}

json means_of(const std::vector<ClipScore>& clips, double scale) {
  return {{"clips", mean_over_clips(clips) * scale},
          {"videos", mean_over_videos(clips) * scale},
          {"frames", mean_over_pictures(clips) * scale}};
}

// Raw scores between clips, mean over videos: fusion compresses them, so that they hardly show.
void add_clip_to_clip(json& total, const json& rows, VbenchMetric metric) {
  double sum = 0;
  int64_t count = 0;
  for (const json& row : rows) {
    const json entry = row.value("metrics", json::object()).value(std::string(enum_name(metric)), json::object());
    if (!entry.contains("clip_to_clip") || !entry["clip_to_clip"].is_number()) continue;
    sum += entry["clip_to_clip"].get<double>();
    ++count;
  }
  if (count > 0) total["clip_to_clip"] = sum / static_cast<double>(count);
}

}  // namespace

void fuse_row(json& entry, VbenchMetric metric, const json& clip_to_clip) {
  const MappingTable& table = metric == VbenchMetric::kSubject ? kSubjectMapping : kBackgroundMapping;
  const auto between = clip_to_clip.is_number() ? std::optional(clip_to_clip.get<double>()) : std::nullopt;
  for (json& clip : entry.at("clips")) {
    const FusedScore fused = fuse_scores(clip.at("score").get<double>(), between, table);
    clip["fused"] = fused.fused;
    entry["mapped"] = fused.mapped;
  }
  entry["clip_to_clip"] = clip_to_clip;
  set_row_value(entry);
}

void set_row_value(json& entry) {
  double sum = 0;
  int64_t count = 0;
  for (const json& clip : entry.at("clips")) {
    if (!is_counted(clip)) continue;
    sum += clip.value("fused", clip.at("score").get<double>());
    ++count;
  }
  entry["value"] = count > 0 ? json(sum / static_cast<double>(count)) : json();
}

json metric_total(const json& rows, VbenchMetric metric, const EvalSwitches& switches) {
  const std::vector<ClipScore> clips = clips_of(rows, metric, "fused");
  if (clips.empty()) return nullptr;
  const int64_t videos = videos_among(clips);
  const bool all_are_one_clip = videos == static_cast<int64_t>(clips.size());
  const double scale = metric == VbenchMetric::kImaging ? 0.01 : 1;
  const char* over = original_mean(metric, switches, all_are_one_clip);
  const json means = means_of(clips, scale);
  json total{{"value", means.at(over)},
             {"mean_over", over},
             {"means", means},
             {"videos", videos},
             {"clips", static_cast<int64_t>(clips.size())}};
  if (switches.protocol != EvalProtocol::kVbenchLong || !switches.slow_fast || !is_consistency(metric)) return total;
  total["in_clip"] = mean_over_clips(clips_of(rows, metric, "score"));
  add_clip_to_clip(total, rows, metric);
  return total;
}

std::string why_no_total(const json& rows, VbenchMetric metric, const EvalSwitches& switches) {
  if (metric != VbenchMetric::kFlicker || !switches.static_filter) return "";
  int64_t clips = 0;
  for (const json& row : rows) {
    const json entry = row.value("metrics", json::object()).value(std::string(enum_name(metric)), json::object());
    clips += static_cast<int64_t>(entry.value("clips", json::array()).size());
  }
  if (clips == 0) return "";
  return fmt::format(
      "the static filter accepted none of {} clips: none is static, or --static-prompts has none of the prompts; omit "
      "--static-filter to count all",
      clips);
}

}  // namespace sgf
