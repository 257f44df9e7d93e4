// A prompt as the network reads it: the text MLP runs once, cross-attention keys and values are computed once per
// layer.
#pragma once

#include "sgf/context/keys_values.h"

#include <ATen/core/Tensor.h>

#include <vector>

namespace sgf {

struct PromptText {
  at::Tensor embedded;                // [B, text_len, dim], after the text MLP
  std::vector<KeysValues> per_layer;  // cross-attention K and V, or empty: computed in the layer (training)
};

}  // namespace sgf
