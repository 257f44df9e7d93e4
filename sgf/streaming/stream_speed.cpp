#include "sgf/streaming/stream_speed.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace sgf {
namespace {

constexpr size_t kRemembered = 4096;

double per_second(int64_t pictures, double milliseconds) {
  return milliseconds > 0 ? 1000.0 * static_cast<double>(pictures) / milliseconds : 0;
}

// The smallest value that a share `q` of the values does not exceed.
double ranked(std::vector<double> values, double q) {
  if (values.empty()) return 0;
  const auto rank = static_cast<size_t>(std::ceil(q * static_cast<double>(values.size())));
  std::ranges::sort(values);
  return values[std::max<size_t>(rank, 1) - 1];
}

double rounded(double value) { return std::round(value * 1000) / 1000; }

}  // namespace

void SpeedMeter::add(const BlockTimes& block) {
  wall_ms_ += block.since_last;
  pictures_ += block.pictures;
  if (blocks_++ == 0) {
    first_ = block;
  } else if (blocks_ <= filling_blocks_) {
    if (filling_.size() < kRemembered) filling_.push_back(block);
  } else if (steady_.size() < kRemembered) {
    steady_.push_back(block);
  } else {
    steady_[static_cast<size_t>(blocks_) % kRemembered] = block;
  }
}

std::vector<BlockTimes> SpeedMeter::steady() const {
  if (!steady_.empty()) return steady_;
  if (!filling_.empty() || blocks_ == 0) return filling_;
  return {first_};
}

void SpeedMeter::fill(StreamSpeed& speed) const {
  speed.blocks = blocks_;
  speed.pictures = pictures_;
  speed.first_picture_s = first_.since_last / 1000;
  speed.wall_s = wall_ms_ / 1000;
  BlockTimes sum;
  std::vector<double> blocks_ms;
  for (const BlockTimes& block : steady()) {
    sum.pictures += block.pictures;
    sum.denoise += block.denoise;
    sum.decode += block.decode;
    sum.deliver += block.deliver;
    sum.since_last += block.since_last;
    blocks_ms.push_back(block.since_last);
  }
  // Blocks that follow a slow one leave the pipeline in quick succession, so deliveries of a few blocks can come closer
  // together than the slowest part makes them.
  speed.fps = per_second(sum.pictures, std::max({sum.since_last, sum.denoise, sum.decode, sum.deliver}));
  speed.fps_denoise = per_second(sum.pictures, sum.denoise);
  speed.fps_decode = per_second(sum.pictures, sum.decode);
  speed.fps_deliver = per_second(sum.pictures, sum.deliver);
  speed.block_p50_ms = ranked(blocks_ms, 0.5);
  speed.block_p95_ms = ranked(blocks_ms, 0.95);
}

nlohmann::json to_json(const StreamSpeed& s) {
  return {{"frames", s.pictures},
          {"blocks", s.blocks},
          {"seconds", rounded(s.wall_s)},
          {"first_frame_s", rounded(s.first_picture_s)},
          {"fps", rounded(s.fps)},
          {"fps_denoise", rounded(s.fps_denoise)},
          {"fps_decode", rounded(s.fps_decode)},
          {"fps_deliver", rounded(s.fps_deliver)},
          {"block_p50_ms", rounded(s.block_p50_ms)},
          {"block_p95_ms", rounded(s.block_p95_ms)},
          {"window", {{"sink", s.sink}, {"fifo", s.fifo}, {"block", s.block}}},
          {"device", s.device},
          {"peak_device_gib", rounded(s.device_gib)},
          {"peak_host_gib", rounded(s.host_gib)}};
}

std::string speed_line(const StreamSpeed& s) {
  std::string line = fmt::format(
      "{} frames in {:.1f} s; first after {:.2f} s; steady {:.1f} fps with VAE and encoding (denoising alone {:.1f}, "
      "decoding {:.1f}, delivery {:.1f}); block p50 {:.0f} ms, p95 {:.0f} ms; window {}+{}+{}; {}; ",
      s.pictures, s.wall_s, s.first_picture_s, s.fps, s.fps_denoise, s.fps_decode, s.fps_deliver, s.block_p50_ms,
      s.block_p95_ms, s.sink, s.fifo, s.block, s.device);
  if (s.device_gib > 0) line += fmt::format("{:.1f} GiB on the device, ", s.device_gib);
  return line + fmt::format("{:.1f} GiB on the host", s.host_gib);
}

}  // namespace sgf
