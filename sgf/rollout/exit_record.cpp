#include "sgf/rollout/exit_record.h"

#include "sgf/core/error.h"

#include <ATen/ATen.h>

namespace sgf {

void ExitRecord::validate() const {
  for (const at::Tensor* tensor : {&noisy, &prediction, &context}) {
    check(tensor->defined() && tensor->dim() == 5 && tensor->sizes() == noisy.sizes(), "rollout",
          "an exit record holds three latents of one shape [B, F, C, H, W]");
    check(!tensor->requires_grad(), "rollout", "an exit record carries no gradient; detach what goes into it");
  }
  check(t.defined() && t.dim() == 1 && t.size(0) == noisy.size(0) && t.scalar_type() == at::kDouble, "rollout",
        "an exit record holds one float64 timestep a sample, for {} samples", noisy.size(0));
  check(given_frames >= 0 && given_frames < layout.frames(), "rollout",
        "given frames leave some to be generated, got {} of {}", given_frames, layout.frames());
  check(noisy.size(1) == layout.frames(), "rollout", "the record holds {} frames, its layout {}", noisy.size(1),
        layout.frames());
}

}  // namespace sgf
