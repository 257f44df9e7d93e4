#include "sgf/rollout/exit_record.h"

#include "sgf/core/error.h"

#include <ATen/ATen.h>

namespace sgf {

at::Tensor ExitRecord::frame_timesteps() const {
  const int64_t samples = noisy.size(0), frames = noisy.size(1);
  const at::Tensor every = t.unsqueeze(1).expand({samples, frames});
  if (!first_t.defined()) return every;
  const int64_t first = layout.block(0).frames();
  return at::cat({first_t.unsqueeze(1).expand({samples, first}), every.slice(1, first)}, 1);
}

void ExitRecord::validate() const {
  for (const at::Tensor* tensor : {&noisy, &prediction, &context}) {
    SGF_CHECK(tensor->defined() && tensor->dim() == 5 && tensor->sizes() == noisy.sizes(),
              "the three latents of an exit record must have one shape [B, F, C, H, W]");
    SGF_CHECK(!tensor->requires_grad(), "the tensors of an exit record must not require grad; detach them first");
  }
  const auto is_per_sample = [&](const at::Tensor& times) {
    return times.defined() && times.dim() == 1 && times.size(0) == noisy.size(0) && times.scalar_type() == at::kDouble;
  };
  SGF_CHECK(is_per_sample(t) && (!first_t.defined() || is_per_sample(first_t)),
            "an exit record needs one float64 timestep per sample, for {} samples", noisy.size(0));
  SGF_CHECK(given_frames >= 0 && given_frames < layout.frames(),
            "given frames must leave frames to generate, got {} given of {}", given_frames, layout.frames());
  SGF_CHECK(noisy.size(1) == layout.frames(), "the record must have as many frames as its layout, got {} and {}",
            noisy.size(1), layout.frames());
}

}  // namespace sgf
