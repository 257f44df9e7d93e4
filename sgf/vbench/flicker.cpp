#include "sgf/vbench/flicker.h"

#include "sgf/core/error.h"

#include <cstdlib>

namespace sgf {
namespace {

uint64_t sum_of_differences(std::span<const uint8_t> a, std::span<const uint8_t> b) {
  uint64_t sum = 0;
  for (size_t i = 0; i < a.size(); ++i) sum += static_cast<uint64_t>(std::abs(int{a[i]} - int{b[i]}));
  return sum;
}

}  // namespace

void FlickerMeter::add(std::span<const uint8_t> picture) {
  SGF_CHECK(previous_.empty() || picture.size() == previous_.size(),
            "all frames of a video must have the same size, got {} bytes after {}", picture.size(), previous_.size());
  if (!previous_.empty()) {
    const uint64_t sum = sum_of_differences(previous_, picture);
    differences_.push_back(static_cast<double>(sum) / static_cast<double>(previous_.size()));
    sum_ += sum;
    bytes_ += previous_.size();
  }
  previous_.assign(picture.begin(), picture.end());
}

std::optional<double> FlickerMeter::score() const {
  if (bytes_ == 0) return std::nullopt;
  return (255.0 - static_cast<double>(sum_) / static_cast<double>(bytes_)) / 255.0;
}

}  // namespace sgf
