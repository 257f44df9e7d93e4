// Replays of the motion networks, RAFT and AMT-S, on pairs of frames of the closed-form clips.
#include "sgf/core/file_error.h"
#include "sgf/files/json_integer.h"
#include "sgf/vbench/amt.h"
#include "sgf/vbench/motion_decisions.h"
#include "sgf/vbench/raft.h"
#include "sgf/verify/closed_form_clip.h"
#include "sgf/verify/closed_form_weights.h"
#include "sgf/verify/replay_inputs.h"
#include "sgf/verify/replay_kinds.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>
#include <fmt/format.h>

#include <array>
#include <cmath>

namespace sgf {
namespace {

// A pair of frames of one clip, and the strides at which the recording stores its results.
struct FlowCase {
  std::string clip;          // "small", "big"
  at::Tensor first, second;  // uint8 [1, H, W, 3]
  int64_t feature_step = 4;  // of features, in both directions
  int64_t full_step = 1;     // of tensors with the size of the frames
  std::string out(const std::string& name) const { return "out." + name + "." + clip; }
};

std::vector<FlowCase> flow_cases(const Recording& recording, int64_t big_step) {
  const Recording clips = clips_beside(recording);
  std::vector<FlowCase> cases;
  for (const auto& [clip, pair] : recording.setting("pairs").items()) {
    SGF_CHECK_FILE(pair.is_array() && pair.size() == 2 && pair[0].is_number_integer() && pair[1].is_number_integer(),
                   recording.path(), "a pair must be two frame numbers, got {}", pair.dump());
    const at::Tensor frames = clip_formula(clips, clip).some_frames({integer_of(pair[0]), integer_of(pair[1])});
    const bool is_big = clip == "big";
    cases.push_back({.clip = clip,
                     .first = frames.narrow(0, 0, 1),
                     .second = frames.narrow(0, 1, 1),
                     .feature_step = is_big ? 26 : 4,
                     .full_step = is_big ? big_step : 1});
  }
  return cases;
}

// The program supports only these sizes.
void check_sizes(const Recording& recording, const nlohmann::json& own) {
  const nlohmann::json& config = recording.setting("config");
  for (const auto& [key, value] : own.items())
    SGF_CHECK_FILE(config.value(key, value) == value, recording.path(), "config has {} {}, but this network has {}",
                   key, config.value(key, value).dump(), value.dump());
}

// Every `step`-th row and column of [C, H, W], from `begin` on.
at::Tensor thinned(const at::Tensor& x, int64_t step, int64_t begin = 0) {
  return x.slice(1, begin, std::nullopt, step).slice(2, begin, std::nullopt, step);
}

at::Tensor some_channels(const at::Tensor& x, int64_t step) { return x.slice(0, 0, std::nullopt, step); }

// Mean, mean magnitude, root mean square, minimum and maximum per channel: [C, 5].
at::Tensor channel_statistics(const at::Tensor& x) {
  const at::Tensor flat = x.flatten(1);
  return at::stack({flat.mean(1), flat.abs().mean(1), flat.square().mean(1).sqrt(), flat.amin(1), flat.amax(1)}, 1);
}

void check_decision(const Recording& recording, const nlohmann::json& made) {
  constexpr double kWrapForth = 0.3, kWrapBack = 1.0, kWrapFar = 500;  // stated in the recording's note
  const auto scores = made.at("scores").get<std::vector<double>>();
  const auto frames = integer_of(made.at("frames"));
  const auto height = integer_of(made.at("height")), width = integer_of(made.at("width"));
  const MotionRule moving = dynamic_degree_rule(frames, height, width);
  const MotionRule still = static_filter_rule(frames, height, width);
  const nlohmann::json own{{"thres", moving.threshold},
                           {"count_num", moving.count},
                           {"dynamic", is_dynamic(scores, moving)},
                           {"static_thres", still.threshold},
                           {"static_count", still.count},
                           {"static", is_static(scores, kWrapForth, kWrapBack, still)},
                           {"static_wrap_large", is_static(scores, kWrapForth, kWrapFar, still)}};
  for (const auto& [key, value] : own.items())
    SGF_CHECK_FILE(made.at(key) == value, recording.path(),
                   "for scores {} in {} frames of {}x{} the original computes {} {}, not {}", made.at("scores").dump(),
                   frames, height, width, key, made.at(key).dump(), value.dump());
}

void check_decisions(const Recording& recording) {
  if (!recording.has_setting("decisions")) return;
  try {
    for (const nlohmann::json& made : recording.setting("decisions")) check_decision(recording, made);
  } catch (const nlohmann::json::exception& e) {
    fail_in_file(recording.path(), "cannot read a decision: {}", e.what());
  }
}

void add_raft_flow(NamedTensors& out, const FlowCase& one, int64_t iterations, const RaftFlow& flow, bool is_last) {
  const auto name = [&](const char* what) { return one.out(fmt::format("flow{}_{}", iterations, what)); };
  const at::Tensor full = flow.full[0];
  out.emplace_back(name("low"), flow.low[0]);
  out.emplace_back(name("up"),
                   is_last ? thinned(full, one.full_step, one.full_step / 2) : thinned(full, 4 * one.full_step));
  if (!is_last) return;
  out.emplace_back(name("stats"), channel_statistics(full));
  out.emplace_back(one.out("score5"), flow_scores(flow.full, kDynamicShare)[0]);
  out.emplace_back(one.out("score2"), flow_scores(flow.full, kStaticShare)[0]);
}

// Runs the network once per requested number of iterations.
void replay_raft_case(NamedTensors& out, const FlowCase& one, const std::vector<Raft>& networks,
                      const std::vector<int64_t>& iterations) {
  const Raft& raft = networks.front();
  const at::Tensor first = raft.features(one.first), second = raft.features(one.second);
  const at::Tensor context = raft.context(one.first);
  const at::Tensor grid = grid_of_places(first.size(2), first.size(3), first.options());
  const at::Tensor windows = raft.correlation(first, second).look_up(grid, Raft::kRadius);
  out.emplace_back(one.out("fmap1"), thinned(some_channels(first[0], 32), one.feature_step));
  out.emplace_back(one.out("cnet"), thinned(some_channels(context[0], 32), one.feature_step));
  out.emplace_back(one.out("corr"), thinned(windows[0], one.feature_step));
  for (size_t i = 0; i < networks.size(); ++i)
    add_raft_flow(out, one, iterations[i], networks[i].flow_of_features(first, second, context),
                  i + 1 == networks.size());
}

// Pixels as written to a file: times 255 and truncated.
at::Tensor byte_sums(const at::Tensor& picture) {
  return (picture * 255).clamp(0, 255).to(at::kByte).flatten(1).sum(1, /*keepdim=*/false, at::kLong).to(at::kDouble);
}

void replay_amt_case(NamedTensors& out, const FlowCase& one, const Amt& amt) {
  AmtTrace trace;
  const at::Tensor picture = amt.between(one.first, one.second, &trace)[0];
  out.emplace_back(one.out("image"), thinned(picture, one.full_step, one.full_step / 2));
  out.emplace_back(one.out("image_stats"), channel_statistics(picture));
  out.emplace_back(one.out("u8_sum"), byte_sums(picture));
  out.emplace_back(one.out("fmap0"), thinned(some_channels(trace.features[0], 12), one.feature_step));
  out.emplace_back(one.out("corr4"), thinned(trace.windows[0], one.feature_step));
  for (int64_t stage = 1; stage <= 4; ++stage) {
    const int64_t step = (int64_t{1} << (4 - stage)) * (one.clip == "big" ? 8 : 1);
    out.emplace_back(one.out(fmt::format("flow_{}", stage)),
                     thinned(trace.flows[static_cast<size_t>(stage - 1)][0], step));
  }
}

}  // namespace

NamedTensors replay_raft(const Recording& recording, const ReplayOptions& options) {
  const at::NoGradGuard no_grad;
  check_sizes(recording, {{"hidden", 128}, {"context", 128}, {"corr_levels", 4}, {"corr_radius", Raft::kRadius}});
  check_decisions(recording);
  const auto iterations = integers_of(recording.setting("iters"));
  SGF_CHECK_FILE(!iterations.empty(), recording.path(), "iters must hold at least one number of iterations");
  std::vector<Raft> networks;
  for (const int64_t count : iterations)
    networks.emplace_back(closed_form_weights(recorded_rule(recording), weight_options(options)),
                          RaftSettings{.iterations = count});
  NamedTensors out;
  for (const FlowCase& one : flow_cases(recording, 8)) replay_raft_case(out, one, networks, iterations);
  return out;
}

NamedTensors replay_amt(const Recording& recording, const ReplayOptions& options) {
  const at::NoGradGuard no_grad;
  check_sizes(
      recording,
      {{"corr_radius", 3}, {"corr_lvls", 4}, {"num_flows", 3}, {"channels", {20, 32, 44, 56}}, {"skip_channels", 20}});
  const Amt amt(closed_form_weights(recorded_rule(recording), weight_options(options)));
  NamedTensors out;
  for (const FlowCase& one : flow_cases(recording, 9)) replay_amt_case(out, one, amt);
  return out;
}

}  // namespace sgf
