// What turns prompts into the rows that the network attends to. The world's
// small table and a real encoder look alike from here on.
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

  // [B, text_len, text_dim]: a row a token, zeros after the last. An empty
  // prompt is the unconditional one.
  virtual at::Tensor encode(const std::vector<std::string>& prompts) const = 0;
};

}  // namespace sgf
