// The patch encoder of MUSIQ: one embedding per patch.
#pragma once

#include "sgf/vbench/musiq_patches.h"
#include "sgf/vbench/network_weights.h"

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>

namespace sgf {

// Convolutions whose weights are standardised once, when they are taken. Padding gives the same sizes as TensorFlow.
class MusiqStem {
 public:
  MusiqStem(NetworkWeights& weights, const MusiqConfig& config);

  at::Tensor root(const at::Tensor& patches) const;     // [N, 3, P, P] -> [N, 64, P / 2, P / 2]
  at::Tensor block(const at::Tensor& root) const;       // -> [N, 256, P / 4, P / 4]
  at::Tensor embedding(const at::Tensor& block) const;  // -> [N, hidden]

 private:
  struct GroupNorm {
    at::Tensor weight, bias;
    double eps;
    at::Tensor operator()(const at::Tensor& x) const;
  };

  static at::Tensor take_standardised(NetworkWeights& weights, const std::string& name, at::IntArrayRef shape);
  static GroupNorm take_norm(NetworkWeights& weights, const std::string& name, int64_t width, double eps);

  at::Tensor root_, first_, second_, third_, projection_;
  GroupNorm root_norm_, first_norm_, second_norm_, third_norm_, projection_norm_;
  at::Tensor embedding_weight_, embedding_bias_;
};

}  // namespace sgf
