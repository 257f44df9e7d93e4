// An update over more samples than fit in one forward or one process: parts are run apart, and what they give is
// summed.
#pragma once

#include "sgf/training/distributed/ranks.h"
#include "sgf/training/stage.h"

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>
#include <vector>

namespace sgf {

// Samples [first, first + count) of an update, `share` of its global batch.
struct MicroBatch {
  int64_t first = 0;
  int64_t count = 0;
  double share = 0;
};

struct BatchSizes {
  int64_t global = 1;  // samples an update
  int64_t micro = 1;   // samples a forward

  void validate(const Ranks& ranks) const;
  // What this rank runs: over all ranks every sample once.
  std::vector<MicroBatch> parts(const Ranks& ranks) const;
};

// Gradients and metrics, each weighted by its share of the samples: means over the global batch.
class UpdateSum {
 public:
  void add(const std::vector<at::Tensor>& gradients, double share);
  void add(const std::string& metric, double value, double share) { means_[metric] += value * share; }

  // Over all ranks: then every rank holds the same bits.
  void combine(const Ranks& ranks);

  const std::vector<at::Tensor>& gradients() const { return gradients_; }
  const StepMetrics& means() const { return means_; }

 private:
  std::vector<at::Tensor> gradients_;
  StepMetrics means_;
};

}  // namespace sgf
