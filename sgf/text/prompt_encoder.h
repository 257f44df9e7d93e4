// Cleaned prompts to embeddings, one tensor per prompt. A cache can wrap this interface.
#pragma once

#include "sgf/text/text_encoder.h"

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace sgf {

struct EncodedPrompt {
  at::Tensor rows;  // [tokens, text_dim], no padding
  int64_t cut = 0;  // tokens that did not fit
};

class PromptEncoder {
 public:
  virtual ~PromptEncoder() = default;

  virtual int64_t text_len() const = 0;
  virtual int64_t text_dim() const = 0;

  virtual std::vector<EncodedPrompt> encode(const std::vector<std::string>& cleaned) const = 0;

  // As in TextEncoder; an encoder without a cache has nowhere to keep them.
  virtual void encode_ahead(const std::vector<std::string>& /*cleaned*/, const PromptsSeen& /*seen*/) const {}
};

// Receives warnings that do not stop the work.
using SayWarning = std::function<void(const std::string&)>;

}  // namespace sgf
