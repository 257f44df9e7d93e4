// Clips and prompts by number: a pure function of it, so that a sample belongs to its place in the run and not to the
// rank, batch or start that asked for it.
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>

#include <cstdint>
#include <string>
#include <vector>

namespace sgf {

struct ClipBatch {
  at::Tensor latents;  // [B, F, C, H, W], float32
  std::vector<std::string> captions;
};

class ClipSource {
 public:
  virtual ~ClipSource() = default;

  // Clips `first` to `first + count - 1`, of so many latent frames each.
  virtual ClipBatch clips(int64_t first, int64_t count, int64_t frames, c10::Device device) const = 0;
};

class PromptSource {
 public:
  virtual ~PromptSource() = default;

  virtual std::vector<std::string> prompts(int64_t first, int64_t count) const = 0;
};

}  // namespace sgf
