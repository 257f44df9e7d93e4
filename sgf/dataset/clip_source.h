// Clips and prompts by number. Each is a pure function of its number, so a sample depends on its position in the run,
// not on the rank, batch or start that requested it.
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

  // Clips `first` to `first + count - 1`, with this many latent frames each.
  virtual ClipBatch clips(int64_t first, int64_t count, int64_t frames, c10::Device device) const = 0;
};

class PromptSource {
 public:
  virtual ~PromptSource() = default;

  virtual std::vector<std::string> prompts(int64_t first, int64_t count) const = 0;
};

}  // namespace sgf
