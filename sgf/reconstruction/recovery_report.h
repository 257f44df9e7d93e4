// How closely Pass 2 reproduces Pass 1: the metrics of the paper's appendix.
#pragma once

#include <ATen/core/Tensor.h>

namespace sgf {

struct RecoveryReport {
  double relative_l2 = 0;  // ||Pass 2 - Pass 1|| / ||Pass 1||
  double cosine = 0;
  double max_abs = 0;
};

// The worse value of both, metric by metric.
RecoveryReport worse_of(const RecoveryReport& a, const RecoveryReport& b);

// Both [B, F, C, H, W]; computed in float64.
RecoveryReport recovery(const at::Tensor& reconstructed, const at::Tensor& recorded);

// The same as a float64 tensor [3] on the device, without synchronisation; recovery_of reads the values.
at::Tensor recovery_numbers(const at::Tensor& reconstructed, const at::Tensor& recorded);
RecoveryReport recovery_of(const at::Tensor& numbers);

}  // namespace sgf
