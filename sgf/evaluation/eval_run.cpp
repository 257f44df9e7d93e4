#include "sgf/evaluation/eval_run.h"

#include "sgf/core/device.h"
#include "sgf/core/error.h"
#include "sgf/evaluation/eval_totals.h"
#include "sgf/evaluation/video_scores.h"
#include "sgf/world/files.h"

#include <ATen/ATen.h>

#include <algorithm>

namespace sgf {
namespace {

using nlohmann::json;

constexpr int64_t kCpuBatch = 8, kGpuBatch = 32;  // frames per batch: limits memory, and keeps the device busy

// The weight files of the order, found and hashed once, and the metrics that lack one.
struct OrderedFiles {
  std::map<std::string, std::string> hashes;  // by path in VBench's cache
  json listed = json::array();
  json unavailable = json::object();
};

std::vector<const VbenchFile*> needed_files(VbenchMetric metric, const EvalSwitches& switches) {
  const bool fuses = switches.protocol == EvalProtocol::kVbenchLong && switches.slow_fast && is_consistency(metric);
  std::vector<const VbenchFile*> files = files_of(metric, fuses);
  if (metric == VbenchMetric::kFlicker && switches.static_filter) files.push_back(&kRaftFile);
  return files;
}

OrderedFiles find_files(const EvalOrder& order, const WeightPlaces& places, const EvalEvents& events) {
  OrderedFiles found;
  for (const VbenchMetric metric : order.metrics) {
    try {
      for (const VbenchFile* file : needed_files(metric, order.switches)) {
        const std::string path(file->path);
        if (found.hashes.contains(path)) continue;
        const FoundFile one = places.find(*file, events.warn);
        found.hashes[path] = one.sha256;
        found.listed.push_back({{"file", path}, {"path", one.path.string()}, {"sha256", one.sha256}});
      }
    } catch (const Error& error) {
      found.unavailable[std::string(enum_name(metric))] = error.what();
    }
  }
  return found;
}

bool row_is_ok(const json& row) {
  if (row.contains("error")) return false;
  const json metrics = row.value("metrics", json::object());
  return std::ranges::none_of(metrics, [](const json& entry) { return entry.contains("error"); });
}

json result_frame(const EvalOrder& order) {
  json switches = to_json(order.switches);
  if (order.switches.static_filter) switches["static_prompts"] = order.static_prompts.size();  // 0: all
  return {{"format", "sgf-eval 1"},       {"protocol", enum_name(order.switches.protocol)},
          {"switches", switches},         {"labels", order.labels},
          {"device", order.device.str()}, {"videos", json::array()},
          {"totals", json::object()}};
}

json evaluate_vbench(const EvalOrder& order, const EvalEvents& events) {
  forbid_tf32();
  const WeightPlaces places(order.weights);
  const OrderedFiles files = find_files(order, places, events);
  const auto adapters = places.path_of(kDreamSimLoraFile);
  const NetworkSettings networks_setting{
      .options = at::TensorOptions().dtype(at::kFloat).device(order.device),
      .clip_in_half = order.switches.clip_in_half,
      .dreamsim_folder = adapters ? adapters->parent_path().parent_path() : std::filesystem::path()};
  VbenchNetworks networks(weights_in(places), networks_setting);
  ScoringSettings setting{.metrics = {},
                          .switches = order.switches,
                          .weights = files.hashes,
                          .device = order.device,
                          .batch = order.device.is_cuda() ? kGpuBatch : kCpuBatch};
  for (const VbenchMetric metric : order.metrics)
    if (!files.unavailable.contains(std::string(enum_name(metric)))) setting.metrics.push_back(metric);
  VideoScorer scorer(setting, networks, ScoreCache(order.cache, events.warn),
                     StaticClipChoice(order.static_prompts, order.switches.static_clips));
  json result = result_frame(order);
  result["weights"] = files.listed;
  result["unavailable"] = files.unavailable;
  for (size_t i = 0; i < order.videos.size(); ++i) {
    const auto number = static_cast<int64_t>(i);
    result["videos"].push_back(
        scorer.score(order.videos[i], [&](int64_t clip, int64_t clips) { return events.go_on(number, clip, clips); }));
  }
  bool all_have_totals = true;
  for (const VbenchMetric metric : setting.metrics) {
    const json total = metric_total(result["videos"], metric, order.switches);
    all_have_totals = all_have_totals && !total.is_null();
    if (!total.is_null()) result["totals"][std::string(enum_name(metric))] = total;
    const std::string why = total.is_null() ? why_no_total(result["videos"], metric, order.switches) : "";
    if (!why.empty()) result["unavailable"][std::string(enum_name(metric))] = why;
  }
  result["ok"] = files.unavailable.empty() && all_have_totals && std::ranges::all_of(result["videos"], row_is_ok);
  return result;
}

json measure_one(const ListedVideo& video, const WorldPreset& preset, std::vector<MeasuredVideo>& measured) {
  json row{{"file", video.file.string()}, {"prompt", video.prompt ? json(*video.prompt) : json()}};
  try {
    SGF_CHECK(video.prompt.has_value(), "{}: is not in the list of prompts", video.file.string());
    const auto one = measure_files({{video.file, *video.prompt}}, preset, /*segments=*/4, [](int64_t) {});
    measured.push_back(one.front());
    row["world"] = to_json(one.front());
  } catch (const std::exception& error) {
    row["error"] = error.what();
  }
  return row;
}

json evaluate_world(const EvalOrder& order, const EvalEvents& events) {
  const WorldPreset preset = world_preset(order.world);
  std::vector<MeasuredVideo> measured;
  json result = result_frame(order);
  result["world"] = order.world;
  for (size_t i = 0; i < order.videos.size(); ++i) {
    if (!events.go_on(static_cast<int64_t>(i), 0, 1)) throw EvaluationStopped();
    result["videos"].push_back(measure_one(order.videos[i], preset, measured));
  }
  if (!measured.empty()) {
    const json mean = to_json(mean_video(measured).score.whole);
    for (const auto& [name, value] : mean.items())
      if (value.is_number()) result["totals"]["world_" + name] = {{"value", value}};
  }
  result["ok"] = measured.size() == order.videos.size();
  return result;
}

}  // namespace

json evaluate(const EvalOrder& order, const EvalEvents& events) {
  SGF_CHECK(!order.videos.empty(), "there are no videos to evaluate");
  return order.switches.protocol == EvalProtocol::kWorld ? evaluate_world(order, events)
                                                         : evaluate_vbench(order, events);
}

}  // namespace sgf
