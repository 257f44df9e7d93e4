// Temporal flickering: how little neighbouring frames differ. It uses integers, so the score is exact; VBench sums in
// float32 and is 3e-9 off.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace sgf {

// Takes frames of one size one after another and keeps the last.
class FlickerMeter {
 public:
  void add(std::span<const uint8_t> picture);  // all bytes of a frame, in any channel order

  const std::vector<double>& differences() const {
    return differences_;
  }  // mean |I_t - I_t+1| in 0 to 255, one per pair
  // (255 - mean of all differences) / 255; nullopt before the second frame.
  std::optional<double> score() const;

 private:
  std::vector<uint8_t> previous_;
  uint64_t sum_ = 0;  // of |differences|, over all pairs
  uint64_t bytes_ = 0;
  std::vector<double> differences_;
};

}  // namespace sgf
