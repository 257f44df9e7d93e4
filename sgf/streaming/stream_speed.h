// The speed of a stream: one line with the same values on the screen and in JSON. Torch-free.
#pragma once

#include <nlohmann/json.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace sgf {

// Times of one block, in milliseconds. Denoising, decoding and delivery (encoding, writing) overlap.
struct BlockTimes {
  int64_t pictures = 0;
  double denoise = 0;
  double decode = 0;
  double deliver = 0;
  double since_last = 0;  // from the delivery of the previous block to its own
};

// Steady: over the blocks after the first that see a full window; of a video too short for it, all but the first,
// where there are others.
struct StreamSpeed {
  int64_t blocks = 0, pictures = 0;
  double first_picture_s = 0;  // from the start of the stream, network in memory, to the delivery of the first frames
  double wall_s = 0;
  double fps = 0;  // steady, with VAE and encoding; at most the slowest of the three
  double fps_denoise = 0, fps_decode = 0, fps_deliver = 0;  // steady, of each stage alone
  double block_p50_ms = 0, block_p95_ms = 0;                // steady, from delivery to delivery
  int64_t sink = 0, fifo = 0, block = 0;                    // latent frames in the window
  std::string device;
  double device_gib = 0, host_gib = 0;  // peaks; 0: no device
};

nlohmann::json to_json(const StreamSpeed& speed);
std::string speed_line(const StreamSpeed& speed);

// Collects block times; keeps only the last few thousand.
class SpeedMeter {
 public:
  explicit SpeedMeter(int64_t filling_blocks) : filling_blocks_(filling_blocks) {}

  void add(const BlockTimes& block);
  void fill(StreamSpeed& speed) const;  // sets all values that follow from block times

 private:
  std::vector<BlockTimes> steady() const;

  int64_t filling_blocks_;
  int64_t blocks_ = 0, pictures_ = 0;
  double wall_ms_ = 0;
  BlockTimes first_;
  std::vector<BlockTimes> filling_;  // blocks before the window is full, without the first
  std::vector<BlockTimes> steady_;   // a ring buffer
};

}  // namespace sgf
