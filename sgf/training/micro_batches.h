// An update over more samples than fit in one forward: parts are run after each other and their gradients summed.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
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

  void validate() const;
  // Every sample once, in order.
  std::vector<MicroBatch> parts() const;
};

// Sums gradients, each weighted by its share of the samples: the mean over the global batch.
class GradientSum {
 public:
  void add(const std::vector<at::Tensor>& gradients, double share);
  std::vector<at::Tensor>& tensors() { return sums_; }

 private:
  std::vector<at::Tensor> sums_;
};

}  // namespace sgf
