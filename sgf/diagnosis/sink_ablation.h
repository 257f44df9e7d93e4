// What the sink does for a long stream: the same prompts and noise under every split of one window into sink and FIFO.
#pragma once

#include "sgf/config/config.h"
#include "sgf/world/measure.h"

#include <c10/core/Device.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace sgf {

struct SinkAblation {
  Config config;        // its sink and FIFO together are the window that is split
  std::string weights;  // a file or a run folder; empty: random ones of the seed
  c10::Device device = c10::Device("cpu");
  std::vector<int64_t> sinks;  // frames each; the FIFO has the rest of the window
  int64_t frames = 0;          // latents a stream, whole blocks
  int64_t streams = 1;         // prompts, each with noise of its own
};

// How the end of streams compares with their beginning, a window each, in the mean over streams. Of latents alone:
// proxies of drift, not of quality.
struct LatentDrift {
  double mean_shift = 0;    // root mean square over channels, of the change of a channel's mean
  double spread_ratio = 0;  // of the deviation over all latents: end / beginning
  double motion_ratio = 0;  // of the mean squared difference between successive latents: end / beginning
};

struct SinkRow {
  int64_t sink = 0, fifo = 0;
  LatentDrift drift;
  std::optional<SegmentScore> first, last;  // a world's videos, measured: the first and the last window of frames
};

// `done` hears of every stream.
std::vector<SinkRow> run_sink_ablation(const SinkAblation& ablation, const std::function<void(int64_t)>& done);

}  // namespace sgf
