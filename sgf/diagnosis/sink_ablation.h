// The effect of the sink on long streams: the same prompts and noise with every split of one window into sink and FIFO.
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
  Config config;        // sink plus FIFO are the window to split
  std::string weights;  // a file or a run folder; empty: random ones of the seed
  c10::Device device = c10::Device("cpu");
  std::vector<int64_t> sinks;  // frames each; the FIFO has the rest of the window
  int64_t frames = 0;          // latent frames per stream, whole blocks
  int64_t streams = 1;         // number of prompts, each with its own noise
};

// Compares the last window of streams with the first, in the mean over streams. Based on latents only: proxies of
// drift, not of quality.
struct LatentDrift {
  double mean_shift = 0;    // root mean square over channels, of the change of a channel's mean
  double spread_ratio = 0;  // of the deviation over all latents: end / beginning
  double motion_ratio = 0;  // of the mean squared difference between successive latents: end / beginning
};

struct SinkRow {
  int64_t sink = 0, fifo = 0;
  LatentDrift drift;
  std::optional<SegmentScore> first, last;  // for a world's videos: metrics of the first and the last window of frames
};

// `done` is called after every stream.
std::vector<SinkRow> run_sink_ablation(const SinkAblation& ablation, const std::function<void(int64_t)>& done);

}  // namespace sgf
