// The denoising step at which Pass 1 is recorded.
#pragma once

#include "sgf/core/enum_names.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>
#include <vector>

namespace sgf {

// How many exit steps are drawn.
enum class ExitSharing {
  kShared,     // one for all samples of an update
  kPerSample,  // one per sample
};

constexpr auto enum_names(ExitSharing) {
  return std::array{EnumName{ExitSharing::kShared, "shared"}, EnumName{ExitSharing::kPerSample, "per_sample"}};
}

// Counted from 1. Either one for all samples: every rank does equal work and later steps are not computed. Or one per
// sample: all steps are run. All blocks exit at the same step, except a first block with steps of its own.
class ExitSteps {
 public:
  ExitSteps(int64_t shared) : steps_{shared} {}  // NOLINT: a number is an exit
  explicit ExitSteps(std::vector<int64_t> per_sample) : steps_(std::move(per_sample)), shared_(false) {}

  bool is_shared() const { return shared_; }
  const std::vector<int64_t>& steps() const { return steps_; }
  int64_t of(int64_t sample) const { return shared_ ? steps_.front() : steps_.at(static_cast<size_t>(sample)); }
  int64_t latest() const { return *std::ranges::max_element(steps_); }

  // The same, with these exits for the first block: as many as there are of the others, counted in its own steps.
  ExitSteps with_first(const ExitSteps& first) const {
    ExitSteps both = *this;
    both.first_ = first.steps_;
    return both;
  }
  bool has_first() const { return !first_.empty(); }
  // Of the first block; call only if has_first().
  ExitSteps first() const {
    ExitSteps exits = *this;
    exits.steps_ = first_;
    exits.first_.clear();
    return exits;
  }

 private:
  std::vector<int64_t> steps_, first_;
  bool shared_ = true;
};

}  // namespace sgf
