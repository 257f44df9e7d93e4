// Temporal flickering: how little neighbouring pictures differ. Whole numbers throughout, so the score is exact; VBench
// sums in float32 and is 3e-9 off.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace sgf {

// Takes pictures one after another, of one size, and keeps the last.
class FlickerMeter {
 public:
  void add(std::span<const uint8_t> picture);  // all its bytes, in any order of channels

  const std::vector<double>& differences() const { return differences_; }  // mean |I_t - I_t+1| of 255, a pair each
  // (255 - mean of all differences) / 255; nothing before the second picture.
  std::optional<double> score() const;

 private:
  std::vector<uint8_t> previous_;
  uint64_t sum_ = 0;  // of |differences|, over all pairs
  uint64_t bytes_ = 0;
  std::vector<double> differences_;
};

}  // namespace sgf
