#include "sgf/training/micro_batches.h"

#include "sgf/core/error.h"

#include <ATen/ATen.h>

#include <algorithm>

namespace sgf {

void BatchSizes::validate() const {
  check(global > 0 && micro > 0, "training", "batch sizes are positive, got global batch {} and micro batch {}", global,
        micro);
}

std::vector<MicroBatch> BatchSizes::parts() const {
  std::vector<MicroBatch> parts;
  for (int64_t first = 0; first < global; first += micro) {
    const int64_t count = std::min(micro, global - first);
    parts.push_back({first, count, static_cast<double>(count) / static_cast<double>(global)});
  }
  return parts;
}

void GradientSum::add(const std::vector<at::Tensor>& gradients, double share) {
  if (sums_.empty())
    for (const at::Tensor& gradient : gradients) sums_.push_back(gradient * share);
  else
    for (size_t i = 0; i < sums_.size(); ++i) sums_[i].add_(gradients[i], share);
}

}  // namespace sgf
