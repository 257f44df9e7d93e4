#include "sgf/training/update_sum.h"

#include "sgf/core/error.h"

#include <ATen/ATen.h>

#include <algorithm>

namespace sgf {

void BatchSizes::validate(const Ranks& ranks) const {
  SGF_CHECK(global > 0 && micro > 0, "batch sizes must be positive, got global batch {} and micro batch {}", global,
            micro);
  ranks.share_of(global);  // throws if a rank would have no sample
}

std::vector<MicroBatch> BatchSizes::parts(const Ranks& ranks) const {
  const SampleShare mine = ranks.share_of(global);
  std::vector<MicroBatch> parts;
  for (int64_t first = mine.first; first < mine.end(); first += micro) {
    const int64_t count = std::min(micro, mine.end() - first);
    parts.push_back({first, count, static_cast<double>(count) / static_cast<double>(global)});
  }
  return parts;
}

void UpdateSum::add(const std::vector<at::Tensor>& gradients, double share) {
  if (gradients_.empty())
    gradients_ = at::_foreach_mul(gradients, share);
  else
    at::_foreach_add_(gradients_, gradients, share);
}

void UpdateSum::combine(const Ranks& ranks) {
  ranks.sum(gradients_);
  std::vector<double> values;
  for (const auto& [name, value] : means_) values.push_back(value);
  values = ranks.sum(values);
  size_t next = 0;
  for (auto& [name, value] : means_) value = values[next++];
}

}  // namespace sgf
