#include "sgf/rollout/exit_record.h"

#include "sgf/core/error.h"

#include <ATen/ATen.h>

namespace sgf {

void ExitRecord::validate() const {
  for (const at::Tensor* tensor : {&noisy, &prediction, &context}) {
    SGF_CHECK(tensor->defined() && tensor->dim() == 5 && tensor->sizes() == noisy.sizes(),
              "the three latents of an exit record must have one shape [B, F, C, H, W]");
    SGF_CHECK(!tensor->requires_grad(), "the tensors of an exit record must not require grad; detach them first");
  }
  SGF_CHECK(t.defined() && t.dim() == 1 && t.size(0) == noisy.size(0) && t.scalar_type() == at::kDouble,
            "an exit record needs one float64 timestep per sample, for {} samples", noisy.size(0));
  SGF_CHECK(given_frames >= 0 && given_frames < layout.frames(),
            "given frames must leave frames to generate, got {} given of {}", given_frames, layout.frames());
  SGF_CHECK(noisy.size(1) == layout.frames(), "the record must have as many frames as its layout, got {} and {}",
            noisy.size(1), layout.frames());
}

}  // namespace sgf
