// Weights made from their names by a formula, so that networks of full size can be checked against recordings without
// any weight file. The recordings' README states the rule; `sgf verify` of kind vbench_rule holds it.
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

// What decides a weight besides its name, shape and place.
struct WeightRule {
  std::string salt;  // hashed before the name
  // Hashed between the two: "dino:". Recordings see it as part of the name in one more place: a name without a dot then
  // is none of the embeddings ("dino:cls_token"), so it gets the scale of a matrix.
  std::string prefix;
  std::map<std::string, double> gains;
  bool is_amt = false;  // one dimension is a PReLU slope there, and 4x4 kernels are of transposed convolutions

  std::string hashed(const std::string& name) const { return salt + prefix + name; }
};

// Salt and gains as a recording's metadata names them.
WeightRule recorded_rule(const Recording& recording);

// float32 on the CPU, 300 million values in about a second and a half a core.
at::Tensor closed_form_weight(const WeightRule& rule, const std::string& name, at::IntArrayRef shape);
// Inputs of networks, named `in.*`: uniform in [-2, 2).
at::Tensor closed_form_input(const WeightRule& rule, const std::string& name, at::IntArrayRef shape);

// A source of weights for any network.
NetworkWeights closed_form_weights(const WeightRule& rule, at::TensorOptions options);

}  // namespace sgf
