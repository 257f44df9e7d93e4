// An update over more samples than fit in one forward or process: parts run separately and their results are summed.
#pragma once

#include "sgf/training/distributed/ranks.h"
#include "sgf/training/stage.h"

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>
#include <vector>

namespace sgf {

// Samples [first, first + count) of an update; `share` is their share of the global batch.
struct MicroBatch {
  int64_t first = 0;
  int64_t count = 0;
  double share = 0;
};

struct BatchSizes {
  int64_t global = 1;  // samples an update
  int64_t micro = 1;   // samples a forward

  void validate(const Ranks& ranks) const;
  // The parts of this rank; all ranks together run every sample once.
  std::vector<MicroBatch> parts(const Ranks& ranks) const;
};

// Gradients and metrics, weighted by the share of samples: means over the global batch.
class UpdateSum {
 public:
  void add(const std::vector<at::Tensor>& gradients, double share);
  void add(const std::string& metric, double value, double share) { means_[metric] += value * share; }

  // Sums over all ranks; then every rank has the same bits.
  void combine(const Ranks& ranks);

  const std::vector<at::Tensor>& gradients() const { return gradients_; }
  const StepMetrics& means() const { return means_; }

 private:
  std::vector<at::Tensor> gradients_;
  StepMetrics means_;
};

}  // namespace sgf
