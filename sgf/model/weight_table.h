// The weights of a Wan DiT, one row each: official name, diffusers name, shape. Torch-free.
#pragma once

#include "sgf/model/dit_config.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sgf {

using Shape = std::vector<int64_t>;

struct WeightRow {
  std::string_view official;   // relative to "blocks.N." for the rows of a block
  std::string_view diffusers;  // the name in WanTransformer3DModel
  Shape (*shape)(const DitConfig&);
};

// In the order of the official state dict: rows before the blocks, of each block, after them.
std::span<const WeightRow> rows_before_blocks();
std::span<const WeightRow> rows_of_block();
std::span<const WeightRow> rows_after_blocks();

struct WeightShape {
  std::string name;  // official: "blocks.0.self_attn.q.weight"
  std::vector<int64_t> shape;
};

// Every tensor of a DiT of this size, in the official order and under the official names.
std::vector<WeightShape> expected_dit_weights(const DitConfig& config);

}  // namespace sgf
