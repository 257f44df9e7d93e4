// Turns prompts into the embeddings that the network attends to. The world's small table and a real encoder have the
// same interface.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>
#include <vector>

namespace sgf {

class TextEncoder {
 public:
  virtual ~TextEncoder() = default;

  virtual int64_t text_len() const = 0;
  virtual int64_t text_dim() const = 0;

  // [B, text_len, text_dim]: one row per token, padded with zeros. An empty prompt is the unconditional one.
  virtual at::Tensor encode(const std::vector<std::string>& prompts) const = 0;
};

}  // namespace sgf
