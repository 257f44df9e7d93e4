// How faithfully Pass 2 repeats Pass 1: the paper's appendix numbers.
#pragma once

#include <ATen/core/Tensor.h>

namespace sgf {

struct RecoveryReport {
  double relative_l2 = 0;  // ||Pass 2 - Pass 1|| / ||Pass 1||
  double cosine = 0;
  double max_abs = 0;
};

// The worse of both in each number.
RecoveryReport worse_of(const RecoveryReport& a, const RecoveryReport& b);

// Both [B, F, C, H, W]; computed in float64.
RecoveryReport recovery(const at::Tensor& reconstructed, const at::Tensor& recorded);

// The same without waiting for the device: [3], float64; and read from there.
at::Tensor recovery_numbers(const at::Tensor& reconstructed, const at::Tensor& recorded);
RecoveryReport recovery_of(const at::Tensor& numbers);

}  // namespace sgf
