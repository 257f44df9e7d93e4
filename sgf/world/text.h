// The world's text encoder: a fixed table without learned weights.
#pragma once

#include "sgf/text/text_encoder.h"
#include "sgf/world/preset.h"

#include <c10/core/TensorOptions.h>

namespace sgf {

// A row is (word + position) / sqrt 2 from two fixed N(0, 1) tables, and so has unit variance. The position is needed
// because attention over text has no order: without it "a red disc and a blue square" and the same with swapped colours
// would be the same set of rows. An empty prompt is all zeros.
class WorldTextEncoder final : public TextEncoder {
 public:
  explicit WorldTextEncoder(const WorldPreset& preset, const at::TensorOptions& options = {});

  int64_t text_len() const override { return text_len_; }
  int64_t text_dim() const override { return rows_.size(1); }
  at::Tensor encode(const std::vector<std::string>& prompts) const override;

 private:
  int64_t words_;
  int64_t text_len_;
  at::Tensor rows_;  // [text_len * words + 1, text_dim]: every word at every position, and zeros
};

}  // namespace sgf
