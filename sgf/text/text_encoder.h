// Turns prompts into the embeddings that the network attends to. The world's small table and a real encoder have the
// same interface.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace sgf {

// Called while prompts are encoded ahead, first with 0: so many of those that were not known before.
using PromptsSeen = std::function<void(int64_t done, int64_t all)>;

class TextEncoder {
 public:
  virtual ~TextEncoder() = default;

  virtual int64_t text_len() const = 0;
  virtual int64_t text_dim() const = 0;

  // [B, text_len, text_dim]: one row per token, padded with zeros. An empty prompt is the unconditional one.
  virtual at::Tensor encode(const std::vector<std::string>& prompts) const = 0;

  // Encodes these prompts now and then frees the network of the encoder, if it has one: later calls with them only look
  // them up.
  virtual void encode_ahead(const std::vector<std::string>& /*prompts*/, const PromptsSeen& /*seen*/) const {}
};

}  // namespace sgf
