// The world's text encoder: a fixed table, nothing learned.
#pragma once

#include "sgf/text/text_encoder.h"
#include "sgf/world/preset.h"

#include <c10/core/TensorOptions.h>

namespace sgf {

// A row is (word + place) / sqrt 2 of two fixed N(0, 1) tables, itself of unit
// variance. The place is there because attention over text knows no order:
// without it "a red disc and a blue square" and its twin with the colours
// swapped would be the same set of rows. An empty prompt is all zeros.
class WorldTextEncoder final : public TextEncoder {
 public:
  explicit WorldTextEncoder(const WorldPreset& preset, const at::TensorOptions& options = {});

  int64_t text_len() const override { return text_len_; }
  int64_t text_dim() const override { return rows_.size(1); }
  at::Tensor encode(const std::vector<std::string>& prompts) const override;

 private:
  int64_t words_;
  int64_t text_len_;
  at::Tensor rows_;  // [text_len * words + 1, text_dim]: every word at every place, and zeros
};

}  // namespace sgf
