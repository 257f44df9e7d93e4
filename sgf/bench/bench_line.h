// The common fields of all lines of `sgf bench`.
#pragma once

#include "sgf/context/context_policy.h"
#include "sgf/kernels/attention_backend.h"
#include "sgf/model/activation_policy.h"
#include "sgf/model/dit_config.h"

#include <ATen/core/Tensor.h>
#include <nlohmann/json.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sgf {

// What was timed: network, device and shape.
struct BenchedWork {
  DitConfig model;
  std::string model_name;
  c10::Device device;
  at::ScalarType dtype;
  AttentionBackend attention;
  ActivationPolicy activations;
  ContextPolicy policy;
  int64_t block_frames = 1;
  std::vector<int64_t> latent;  // [B, F, C, H, W]
};

// As on the command line and in the output: "keep", "recompute", "keep-attention".
std::string bench_name(ActivationPolicy policy);
ActivationPolicy activations_from_bench_name(std::string_view name);

// {"item", "model", "parameters", "device", "threads", "dtype", "attention", "activations", "batch", "frames", "block",
//  "sink", "fifo", "latent": [C, H, W]}
nlohmann::json bench_line(const std::string& item, const BenchedWork& work);

}  // namespace sgf
