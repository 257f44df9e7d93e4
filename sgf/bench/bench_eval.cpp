#include "sgf/bench/bench_items.h"

#include "sgf/bench/bench_clock.h"
#include "sgf/core/device.h"
#include "sgf/files/tensors.h"
#include "sgf/vbench/vbench_networks.h"
#include "sgf/verify/closed_form_clip.h"
#include "sgf/verify/closed_form_weights.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <ATen/core/grad_mode.h>
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>

namespace sgf {
namespace {

constexpr int64_t kPixelsALatent = 8;
constexpr double kBenchedFps = 16;

using MakeMetric = std::function<std::unique_ptr<VideoMetric>()>;

ClipFormula benched_clip(const PassesSettings& s) {
  return {.frames = s.frames,
          .height = kPixelsALatent * s.height,
          .width = kPixelsALatent * s.width,
          .pan = {6, -2},
          .seed = 12,
          .discs = {{.x = 250, .y = 220, .dx = 18, .dy = 6, .radius = 90, .base = 60}},
          .boxes = {{.x = 380, .y = 60, .dx = 5, .dy = 11, .width = 150, .height = 110, .base = 100}}};
}

// Only one network at a time is in memory.
VbenchNetworks benched_networks(const PassesSettings& s) {
  const auto weights = [](const VbenchFile& file, at::TensorOptions options) {
    return closed_form_weights({.salt = "", .prefix = "", .gains = {}, .is_amt = &file == &kAmtFile}, options);
  };
  return VbenchNetworks(weights, {.options = at::TensorOptions().dtype(s.dtype).device(s.device)});
}

nlohmann::json time_metric(const PassesSettings& s, const std::string& name, const at::Tensor& pictures,
                           const MakeMetric& make) {
  const int64_t batch = s.device.is_cuda() ? 32 : 8;
  PhaseClock clock(s.device);
  clock.time(s.warm_up, s.repeats, [&](PhaseClock& running) {
    const std::unique_ptr<VideoMetric> metric = make();
    for (int64_t begin = 0; begin < pictures.size(0); begin += batch)
      metric->add(pictures.slice(0, begin, std::min(begin + batch, pictures.size(0))).to(s.device));
    metric->score();
    running.end(name);
  });
  nlohmann::json line{{"item", "eval " + name},           {"device", s.device.str()},
                      {"threads", at::get_num_threads()}, {"dtype", name_of(s.dtype)},
                      {"video_frames", pictures.size(0)}, {"frame", {pictures.size(1), pictures.size(2)}}};
  line.update(clock.result());
  line["ms_per_frame"] = line["p50_ms"].get<double>() / static_cast<double>(pictures.size(0));
  return line;
}

}  // namespace

bool is_eval_item(const std::string& item) { return item == "eval"; }

void bench_eval(const PassesSettings& s, const BenchLine& line) {
  forbid_tf32();
  const at::NoGradGuard no_grad;
  const at::Tensor pictures = benched_clip(s).all_frames();
  for (const VbenchMetric metric : all_vbench_metrics()) {
    VbenchNetworks networks = benched_networks(s);
    const MakeMetric make = [&] { return make_metric(metric, kBenchedFps, networks); };
    line(time_metric(s, std::string(enum_name(metric)), pictures, make));
    if (!is_consistency(metric)) continue;
    VbenchNetworks between = benched_networks(s);
    const MakeMetric make_between = [&] { return make_between_clips(metric, between); };
    line(time_metric(s, fmt::format("{} between clips", enum_name(metric)), pictures, make_between));
  }
  VbenchNetworks networks = benched_networks(s);
  line(time_metric(s, "static filter", pictures, [&] { return std::make_unique<StaticMetric>(networks.raft()); }));
}

}  // namespace sgf
