#include "sgf/rollout/exit_record.h"

#include "sgf/core/error.h"

#include <ATen/ATen.h>

namespace sgf {

void ExitRecord::validate() const {
  for (const at::Tensor* tensor : {&noisy, &prediction, &context}) {
    SGF_CHECK(tensor->defined() && tensor->dim() == 5 && tensor->sizes() == noisy.sizes(),
              "an exit record holds three latents of one shape [B, F, C, H, W]");
    SGF_CHECK(!tensor->requires_grad(), "an exit record carries no gradient; detach what goes into it");
  }
  SGF_CHECK(t.defined() && t.dim() == 1 && t.size(0) == noisy.size(0) && t.scalar_type() == at::kDouble,
            "an exit record holds one float64 timestep a sample, for {} samples", noisy.size(0));
  SGF_CHECK(given_frames >= 0 && given_frames < layout.frames(),
            "given frames leave some to be generated, got {} of {}", given_frames, layout.frames());
  SGF_CHECK(noisy.size(1) == layout.frames(), "the record holds {} frames, its layout {}", noisy.size(1),
            layout.frames());
}

}  // namespace sgf
