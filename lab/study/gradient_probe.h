// The context gradient by layer: the difference between open and frozen boundary, on the same rollouts.
#pragma once

#include "sgf/training/build_stage.h"

#include <cstdint>
#include <string>
#include <vector>

namespace sgf {

// Means over updates.
struct LayerProbe {
  std::string layer;  // "patch_embedding", "blocks.0", ..., "head", and "all"
  double frozen_norm = 0;
  double context_norm = 0;
  double ratio = 0;   // context / frozen
  double cosine = 0;  // between the two
};

// For `updates` generator updates from `first_step` on, with the current weights.
std::vector<LayerProbe> probe_context_gradient(const DmdParts& parts, int64_t first_step, int64_t updates);

// "blocks.3" of "blocks.3.self_attn.q.weight", "head" of "head.head.bias".
std::string layer_of(const std::string& weight_name);

}  // namespace sgf
