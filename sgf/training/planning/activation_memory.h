// How many bytes a call of the network holds: while it runs, between forward and backward, and in the backward pass.
// Counted tensor by tensor as block_forward, the row kernels and rectangle_attention allocate them on a GPU; the plain
// twins that run on a CPU keep more. Torch-free.
#pragma once

#include "sgf/config/config.h"
#include "sgf/model/dit_config.h"
#include "sgf/training/planning/flop_count.h"

#include <cstdint>

namespace sgf {

// Bytes of a number: what the network computes in, what norms and sums use, what masters are kept in.
struct NumberWidths {
  int64_t compute = 2;
  int64_t wide = 4;
  int64_t master = 4;
};

NumberWidths widths_of(ComputeDtype dtype);

// What runs, on how much.
struct CallSetting {
  DitConfig model;
  CallShape call;
  NumberWidths widths;
  int64_t batch = 1;
  bool has_library_attention = true;  // else the plain one, whose memory is quadratic
};

// Largest sum while a call without graph runs.
int64_t inference_bytes(const CallSetting& setting);

// A call whose gradient is wanted.
struct TrainingCallBytes {
  int64_t forward = 0;   // largest sum in the forward pass
  int64_t kept = 0;      // from its end to the backward pass
  int64_t backward = 0;  // largest sum in the backward pass, gradients of weights among it
};
TrainingCallBytes training_bytes(const CallSetting& setting, ActivationPolicy activations);

// The cache of a rollout with the window that blocks read, and the prompt's keys and values of every layer.
int64_t cache_bytes(const CallSetting& setting, const ContextPolicy& policy, const BlockLayout& layout,
                    int64_t tokens_per_frame);
int64_t prompt_bytes(const CallSetting& setting);

int64_t parameter_count(const DitConfig& config);

}  // namespace sgf
