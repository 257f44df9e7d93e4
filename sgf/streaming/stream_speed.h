// How fast a stream was, in one line that is the same on the screen, in JSON and in the docs. Torch-free.
#pragma once

#include <nlohmann/json.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace sgf {

// Of one block, in milliseconds. Denoising, decoding and delivery (encoding, writing) run beside one another.
struct BlockTimes {
  int64_t pictures = 0;
  double denoise = 0;
  double decode = 0;
  double deliver = 0;
  double since_last = 0;  // until it was delivered, from the delivery of the block before
};

// Steady: over the blocks after the first that see a full window; of a video too short for it, all but the first,
// where there are others.
struct StreamSpeed {
  int64_t blocks = 0, pictures = 0;
  double first_picture_s = 0;  // from the start of the stream, network in memory, to the first pictures' delivery
  double wall_s = 0;
  double fps = 0;  // steady, delivered: with VAE and encoding; never above the slowest of the three
  double fps_denoise = 0, fps_decode = 0, fps_deliver = 0;  // steady, of each of the three by its own time
  double block_p50_ms = 0, block_p95_ms = 0;                // steady, from delivery to delivery
  int64_t sink = 0, fifo = 0, block = 0;                    // frames in sight
  std::string device;
  double device_gib = 0, host_gib = 0;  // peaks; 0: no such device
};

nlohmann::json to_json(const StreamSpeed& speed);
std::string speed_line(const StreamSpeed& speed);

// Gathers block times; keeps the last few thousand, however long the stream.
class SpeedMeter {
 public:
  explicit SpeedMeter(int64_t filling_blocks) : filling_blocks_(filling_blocks) {}

  void add(const BlockTimes& block);
  void fill(StreamSpeed& speed) const;  // all that follows from block times

 private:
  std::vector<BlockTimes> steady() const;

  int64_t filling_blocks_;
  int64_t blocks_ = 0, pictures_ = 0;
  double wall_ms_ = 0;
  BlockTimes first_;
  std::vector<BlockTimes> filling_;  // the blocks before the window was full, without the first
  std::vector<BlockTimes> steady_;   // a ring
};

}  // namespace sgf
