// Weights from a formula of their names, so that networks of full size can be verified without a weight file. The
// recordings' README states the rule; `sgf verify` of kind vbench_rule checks it.
#pragma once

#include "sgf/vbench/network_weights.h"
#include "sgf/verify/recording.h"

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace sgf {

uint64_t splitmix64(uint64_t z);
uint64_t fnv1a64(std::string_view bytes);

// What determines a weight besides its name, shape and index.
struct WeightRule {
  std::string salt;  // hashed before the name
  // Hashed between salt and name: "dino:". Recordings also treat it as part of a name without a dot: "dino:cls_token"
  // does not count as an embedding, so it gets the scale of a matrix.
  std::string prefix;
  std::map<std::string, double> gains;
  bool is_amt = false;  // AMT: 1-D tensors are PReLU slopes, and 4x4 kernels belong to transposed convolutions

  std::string hashed(const std::string& name) const { return salt + prefix + name; }
};

// Salt and gains from a recording's metadata.
WeightRule recorded_rule(const Recording& recording);

// float32 on the CPU; about 1.5 s for 300 million values per core.
at::Tensor closed_form_weight(const WeightRule& rule, const std::string& name, at::IntArrayRef shape);
// Inputs of networks, named `in.*`: uniform in [-2, 2).
at::Tensor closed_form_input(const WeightRule& rule, const std::string& name, at::IntArrayRef shape);

// A source of weights for any network.
NetworkWeights closed_form_weights(const WeightRule& rule, at::TensorOptions options);

}  // namespace sgf
