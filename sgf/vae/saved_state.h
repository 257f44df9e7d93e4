// A VAE stream's state as named tensors: what goes into a file and comes back, to the bit.
#pragma once

#include "sgf/files/tensors.h"
#include "sgf/vae/causal_conv.h"

namespace sgf {

// `latents` (int64) and `history.<official name of the convolution>`; slots that hold nothing are left out.
NamedTensors save_state(const VaeState& state, const std::vector<std::string>& slots);

// Throws for a name, dtype or shape that such a stream does not have.
VaeState restore_state(const NamedTensors& saved, const std::vector<std::string>& slots,
                       const at::TensorOptions& options);

// A stream's frames [B, C, T, H, W] keep batch, height and width. Throws where `next` does not.
void check_same_stream(const VaeState& state, const at::Tensor& next);

}  // namespace sgf
