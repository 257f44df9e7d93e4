// At which denoising step Pass 1 is recorded.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace sgf {

// Counted from 1. One for all samples, so that every rank does equal work and nothing past it is computed; or one a
// sample, and then all steps are run.
class ExitSteps {
 public:
  ExitSteps(int64_t shared) : steps_{shared} {}  // NOLINT: a number is an exit
  explicit ExitSteps(std::vector<int64_t> per_sample) : steps_(std::move(per_sample)), shared_(false) {}

  bool is_shared() const { return shared_; }
  const std::vector<int64_t>& steps() const { return steps_; }
  int64_t of(int64_t sample) const { return shared_ ? steps_.front() : steps_.at(static_cast<size_t>(sample)); }
  int64_t latest() const { return *std::ranges::max_element(steps_); }

 private:
  std::vector<int64_t> steps_;
  bool shared_ = true;
};

}  // namespace sgf
