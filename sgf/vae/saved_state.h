// A VAE stream's state as named tensors, restored bit for bit from a file.
#pragma once

#include "sgf/files/tensors.h"
#include "sgf/vae/causal_conv.h"

namespace sgf {

// `latents` (int64) and `history.<official name of the convolution>`; empty slots are left out.
NamedTensors save_state(const VaeState& state, const std::vector<std::string>& slots);

// Throws Error for a name, dtype or shape that such a stream does not have.
VaeState restore_state(const NamedTensors& saved, const std::vector<std::string>& slots,
                       const at::TensorOptions& options);

// A stream's frames [B, C, T, H, W] must keep batch, height and width. Throws Error if those of `next` differ.
void check_same_stream(const VaeState& state, const at::Tensor& next);

}  // namespace sgf
