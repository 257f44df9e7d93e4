// Replays of the metrics on the small clip, and of VBench-Long's clip handling.
#include "sgf/core/file_error.h"
#include "sgf/files/json_integer.h"
#include "sgf/files/strict_json.h"
#include "sgf/vbench/clip_scores.h"
#include "sgf/vbench/clip_split.h"
#include "sgf/vbench/motion_decisions.h"
#include "sgf/vbench/slow_fast.h"
#include "sgf/vbench/vbench_networks.h"
#include "sgf/verify/closed_form_clip.h"
#include "sgf/verify/closed_form_weights.h"
#include "sgf/verify/replay_kinds.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include <cmath>

namespace sgf {
namespace {

// The key of a recording's gains for a weight file; RAFT's may differ between its two uses.
std::string gains_of(const VbenchFile& file, const std::string& raft) {
  if (&file == &kRaftFile) return raft;
  if (&file == &kAmtFile) return "amt";
  if (&file == &kMusiqFile) return "musiq";
  return &file == &kAestheticFile ? "aesthetic" : "";
}

VbenchNetworks recorded_networks(const Recording& recording, const ReplayOptions& options,
                                 const std::string& raft = "raft") {
  const nlohmann::json gains = recording.has_setting("gains") ? recording.setting("gains") : nlohmann::json::object();
  const auto weights = [salt = recording.text("salt"), gains, raft](const VbenchFile& file, at::TensorOptions wanted) {
    WeightRule rule{.salt = salt, .prefix = "", .gains = {}, .is_amt = &file == &kAmtFile};
    const std::string name = gains_of(file, raft);
    if (gains.contains(name)) rule.gains = gains.at(name).get<std::map<std::string, double>>();
    return closed_form_weights(rule, wanted);
  };
  return VbenchNetworks(weights, {.options = at::TensorOptions().dtype(options.dtype).device(options.device)});
}

MetricScore score_of_pictures(VideoMetric& metric, const at::Tensor& pictures) {
  // In pieces of uneven length, as for a long video.
  for (int64_t begin = 0, size = 5; begin < pictures.size(0); begin += size)
    metric.add(pictures.slice(0, begin, std::min(begin + size, pictures.size(0))));
  return metric.score();
}

MetricScore score_by(VbenchMetric metric, const at::Tensor& pictures, double fps, VbenchNetworks& networks) {
  return score_of_pictures(*make_metric(metric, fps, networks), pictures);
}

at::Tensor numbers(const std::vector<double>& values) { return at::tensor(values, at::kDouble); }

// The score between the first frames of clips, and its fusion.
struct RecordedChain {
  std::vector<double> in_clip;
  double clip_to_clip = 0;
  double mapped = 0;
  double fused = 0;
};

RecordedChain run_chain(const Recording& recording, const ReplayOptions& options) {
  const nlohmann::json& chain = recording.setting("chain");
  const at::Tensor pictures = clip_formula(clips_beside(recording), "small").all_frames();
  VbenchNetworks networks = recorded_networks(recording, options);
  const ClipPlan plan =
      split_into_clips(chain.at("fps").get<double>(), pictures.size(0), integer_of(chain.at("duration")));
  RecordedChain result;
  std::vector<at::Tensor> firsts;
  for (const FrameSpan& clip : plan.clips) {
    const at::Tensor part = pictures.slice(0, clip.begin, clip.end);
    result.in_clip.push_back(score_by(VbenchMetric::kSubject, part, plan.fps, networks).value);
    firsts.push_back(part.slice(0, 0, 1));
  }
  result.clip_to_clip = score_of_pictures(*make_between_clips(VbenchMetric::kSubject, networks), at::cat(firsts)).value;
  for (const double score : result.in_clip) {
    const FusedScore fused = fuse_scores(score, result.clip_to_clip, kSubjectMapping);
    result.mapped = fused.mapped;
    result.fused += fused.fused / static_cast<double>(result.in_clip.size());
  }
  return result;
}

// Compares numbers that are in a recording's metadata, not in tensors.
void expect_number(const Recording& recording, const std::string& what, double ours, double theirs) {
  SGF_CHECK_FILE(std::abs(ours - theirs) <= 1e-12, recording.path(), "{} is {}, but {} in the recording", what, ours,
                 theirs);
}

void expect_splits(const Recording& recording) {
  for (const nlohmann::json& one : recording.setting("splits")) {
    const ClipPlan plan =
        split_into_clips(one.at("fps").get<double>(), integer_of(one.at("frames")), integer_of(one.at("duration")));
    nlohmann::json clips = nlohmann::json::array();
    for (const FrameSpan& clip : plan.clips) clips.push_back({clip.begin, clip.end});
    SGF_CHECK_FILE(clips == one.at("clips") && plan.is_whole == one.at("full").get<bool>(), recording.path(),
                   "{} frames at {} fps are split into {}, but into {} in the recording", one.at("frames").dump(),
                   one.at("fps").dump(), clips.dump(), one.at("clips").dump());
  }
}

void expect_fusion(const Recording& recording, const nlohmann::json& aggregation, const std::vector<ClipScore>& clips,
                   const std::string& dimension) {
  const MappingTable& table = dimension == "subject_consistency" ? kSubjectMapping : kBackgroundMapping;
  const nlohmann::json& recorded = aggregation.at(dimension);
  std::vector<ClipScore> fused = clips;
  for (size_t i = 0; i < fused.size(); ++i) {
    std::optional<double> between;
    for (const nlohmann::json& video : aggregation.at("clip2clip"))
      if (video.at(0) == fused[i].video) between = video.at(1).get<double>();
    const FusedScore score = fuse_scores(clips[i].score, between, table);
    fused[i].score = score.fused;
    expect_number(recording, dimension + " mapped", score.mapped, recorded.at("mapped").at(i).get<double>());
    expect_number(recording, dimension + " fused", score.fused, recorded.at("fused").at(i).get<double>());
  }
  expect_number(recording, dimension, mean_over_clips(fused), recorded.at("fused_mean").get<double>());
  expect_number(recording, dimension + " without fusion", mean_over_clips(clips),
                recorded.at("without_dev_flag").get<double>());
}

void expect_aggregation(const Recording& recording) {
  const nlohmann::json& aggregation = recording.setting("aggregation");
  std::vector<ClipScore> clips;
  for (const nlohmann::json& clip : aggregation.at("clips")) {
    const auto name = clip.at(0).get<std::string>();
    clips.push_back({.video = name.substr(0, name.find('_')), .prompt = "", .score = clip.at(1).get<double>()});
  }
  expect_number(recording, "the mean over clips", mean_over_clips(clips),
                aggregation.at("reorganized_mean").get<double>());
  expect_number(recording, "the mean over clips of imaging quality", mean_over_clips(clips),
                aggregation.at("imaging_mean").get<double>());
  expect_number(recording, "the mean over videos", mean_over_videos(clips),
                aggregation.at("filtered_mean").get<double>());
  expect_fusion(recording, aggregation, clips, "subject_consistency");
  expect_fusion(recording, aggregation, clips, "background_consistency");
}

at::Tensor table_rows(const MappingTable& table) {
  const at::Tensor keys = at::arange(101, at::kDouble) / 100;
  return at::stack({keys, numbers({table.begin(), table.end()})}, 1);
}

at::Tensor mapped_rows(const at::Tensor& scores, const MappingTable& table) {
  std::vector<double> mapped;
  for (int64_t i = 0; i < scores.size(0); ++i) mapped.push_back(map_clip_to_clip(table, scores[i].item<double>()));
  return at::stack({scores, numbers(mapped)}, 1);
}

// Scores by name, and the tensors behind them.
struct MetricValues {
  std::map<std::string, double> values;
  NamedTensors out;

  void take(const std::string& name, const MetricScore& score, const std::string& parts) {
    values[name] = score.value;
    out.emplace_back("out." + parts, score.parts);
  }
};

// What the metrics score: two closed-form clips.
struct ScoredClips {
  at::Tensor pictures, big;
  double fps = 0;
};

void add_consistency(MetricValues& to, const ScoredClips& clips, VbenchNetworks& networks) {
  ConsistencyMetric subject([&](const at::Tensor& p) { return networks.dino().features(p); });
  ConsistencyMetric background([&](const at::Tensor& p) { return networks.clip_b32().features(p); });
  to.take("subject_consistency", score_of_pictures(subject, clips.pictures), "subject_sims");
  to.take("background_consistency", score_of_pictures(background, clips.pictures), "background_sims");
  to.out.emplace_back("out.subject_feature0", subject.first_features().squeeze(0));
  to.out.emplace_back("out.background_feature0", background.first_features().squeeze(0));
}

void add_quality(MetricValues& to, const ScoredClips& clips, VbenchNetworks& networks) {
  to.take("aesthetic_quality", score_by(VbenchMetric::kAesthetic, clips.pictures, clips.fps, networks),
          "aesthetic_frames");
  to.take("imaging_quality", score_by(VbenchMetric::kImaging, clips.pictures, clips.fps, networks), "imaging_frames");
  to.values["imaging_quality_aggregate"] = to.values["imaging_quality"] / 100;
  to.values["imaging_quality_big2"] = score_by(VbenchMetric::kImaging, clips.big, clips.fps, networks).value;
}

void add_motion(MetricValues& to, const ScoredClips& clips, VbenchNetworks& networks) {
  to.take("motion_smoothness", score_by(VbenchMetric::kMotion, clips.pictures, clips.fps, networks), "motion_diffs");
  const MetricScore dynamic = score_by(VbenchMetric::kDynamic, clips.pictures, clips.fps, networks);
  to.take("dynamic_degree", dynamic, "dynamic_scores");
  const MotionRule rule = dynamic_degree_rule(dynamic.weight + 1, clips.pictures.size(1), clips.pictures.size(2));
  to.values["dynamic_thres"] = rule.threshold;
  to.values["dynamic_count_num"] = static_cast<double>(rule.count);
}

// In the order of the recording's names.
at::Tensor recorded_values(const Recording& recording, const MetricValues& metrics) {
  std::vector<double> in_order;
  for (const nlohmann::json& name : recording.setting("names")) {
    const auto found = metrics.values.find(name.get<std::string>());
    SGF_CHECK_FILE(found != metrics.values.end(), recording.path(), "this replay does not compute {}", name.dump());
    in_order.push_back(found->second);
  }
  return numbers(in_order);
}

}  // namespace

NamedTensors replay_vbench_metrics(const Recording& recording, const ReplayOptions& options) {
  const at::NoGradGuard no_grad;
  const Recording beside = clips_beside(recording);
  const ScoredClips clips{.pictures = clip_formula(beside, "small").all_frames(),
                          .big = clip_formula(beside, "big").some_frames({0, 1}),
                          .fps = recording.number("fps")};
  VbenchNetworks networks = recorded_networks(recording, options);
  MetricValues metrics;
  add_consistency(metrics, clips, networks);
  add_quality(metrics, clips, networks);
  add_motion(metrics, clips, networks);
  VbenchNetworks static_networks = recorded_networks(recording, options, "raft_static");
  StaticMetric stands(static_networks.raft());
  metrics.take("static_first6", score_of_pictures(stands, clips.pictures.slice(0, 0, 6)), "static_first6_scores");
  metrics.take("temporal_flickering", score_by(VbenchMetric::kFlicker, clips.pictures, clips.fps, networks),
               "flicker_mae");
  metrics.out.emplace_back("out.values", recorded_values(recording, metrics));
  return std::move(metrics.out);
}

NamedTensors replay_vbench_long(const Recording& recording, const ReplayOptions& options) {
  const at::NoGradGuard no_grad;
  try {
    expect_splits(recording);
    expect_aggregation(recording);
  } catch (const nlohmann::json::exception& error) {
    fail_in_file(recording.path(), "splits or aggregation have the wrong type: {}", json_complaint(error.what()));
  }
  const RecordedChain chain = run_chain(recording, options);
  const auto scores = [&](const char* name) { return recording.expected(name).select(1, 0); };
  return {{"table.subject", table_rows(kSubjectMapping)},
          {"table.background", table_rows(kBackgroundMapping)},
          {"map.subject", mapped_rows(scores("map.subject"), kSubjectMapping)},
          {"map.background", mapped_rows(scores("map.background"), kBackgroundMapping)},
          {"out.chain_clip_scores", numbers(chain.in_clip)},
          {"out.chain", numbers({chain.clip_to_clip, chain.mapped, chain.fused})}};
}

}  // namespace sgf
