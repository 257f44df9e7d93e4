// The memory of a network call in bytes: in the forward pass, between forward and backward, and in the backward pass.
// Counts the tensors that block_forward, the row kernels and rectangle_attention allocate on a GPU; the plain versions
// on a CPU keep more. Torch-free.
#pragma once

#include "sgf/config/config.h"
#include "sgf/model/dit_config.h"
#include "sgf/training/planning/flop_count.h"

#include <cstdint>

namespace sgf {

// Bytes per number: in the compute dtype, in norms and sums, in the masters.
struct NumberWidths {
  int64_t compute = 2;
  int64_t wide = 4;
  int64_t master = 4;
};

NumberWidths widths_of(ComputeDtype dtype);

// What runs, and its sizes.
struct CallSettings {
  DitConfig model;
  CallShape call;
  NumberWidths widths;
  int64_t batch = 1;
  bool has_library_attention = true;  // else plain attention, with quadratic memory
};

// The peak of a call without graph.
int64_t inference_bytes(const CallSettings& setting);

// A call with gradient.
struct TrainingCallBytes {
  int64_t forward = 0;   // peak of the forward pass
  int64_t kept = 0;      // between forward and backward pass
  int64_t backward = 0;  // peak of the backward pass, weight gradients included
};
TrainingCallBytes training_bytes(const CallSettings& setting, ActivationPolicy activations);

// The cache of a rollout with the window that blocks read, and the prompt's keys and values of every layer.
int64_t cache_bytes(const CallSettings& setting, const ContextPolicy& policy, const BlockLayout& layout,
                    int64_t tokens_per_frame);
int64_t prompt_bytes(const CallSettings& setting);

int64_t parameter_count(const DitConfig& config);

}  // namespace sgf
