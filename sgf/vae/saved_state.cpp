#include "sgf/vae/saved_state.h"

#include "sgf/core/error.h"
#include "sgf/core/in_quotes.h"

#include <ATen/ATen.h>

#include <algorithm>

namespace sgf {
namespace {

const std::string kLatents = "latents", kHistory = "history.";

at::Tensor checked_history(const std::string& name, const at::Tensor& tensor, const at::TensorOptions& options) {
  SGF_CHECK(tensor.dim() == 5 && tensor.dtype() == options.dtype(),
            "{} of a saved stream must be [B, C, T, H, W] of {}, got {} dimensions of {}", name,
            c10::toString(c10::typeMetaToScalarType(options.dtype())), tensor.dim(),
            c10::toString(tensor.scalar_type()));
  // In the layout that a running stream has: the convolutions then take the same code path.
  const at::Tensor here = tensor.to(options.device());
  return here.clone(video_layout(here));
}

}  // namespace

NamedTensors save_state(const VaeState& state, const std::vector<std::string>& slots) {
  NamedTensors saved{{kLatents, at::full({1}, state.latents, at::kLong)}};
  for (size_t i = 0; i < slots.size(); ++i)
    if (state.history[i].defined()) saved.emplace_back(kHistory + slots[i], state.history[i].clone());
  return saved;
}

VaeState restore_state(const NamedTensors& saved, const std::vector<std::string>& slots,
                       const at::TensorOptions& options) {
  VaeState state{.history = std::vector<at::Tensor>(slots.size()), .latents = -1};
  for (const auto& [name, tensor] : saved) {
    if (name == kLatents) {
      SGF_CHECK(tensor.numel() == 1, "`latents` of a saved stream must be one number, got {}", tensor.numel());
      state.latents = tensor.item<int64_t>();
      continue;
    }
    const auto slot = name.starts_with(kHistory) ? std::ranges::find(slots, name.substr(kHistory.size())) : slots.end();
    SGF_CHECK(slot != slots.end(), "unexpected tensor {} in a saved stream of this VAE", in_quotes(name));
    state.history[static_cast<size_t>(slot - slots.begin())] = checked_history(name, tensor, options);
  }
  SGF_CHECK(state.latents >= 0,
            "a saved stream must have `latents`, the number of processed latent frames, but it is missing");
  SGF_CHECK(state.is_first() || state.history.front().defined(), "a saved stream of {} latent frames needs {}{}",
            state.latents, kHistory, slots.front());
  return state;
}

void check_same_stream(const VaeState& state, const at::Tensor& next) {
  if (state.is_first()) return;
  const at::Tensor& held = state.history.front();  // of the first convolution, shaped like its input
  const bool same = held.size(0) == next.size(0) && held.size(3) == next.size(3) && held.size(4) == next.size(4);
  SGF_CHECK(same, "a stream must continue with {} samples of {} x {}, got {} of {} x {}", held.size(0), held.size(3),
            held.size(4), next.size(0), next.size(3), next.size(4));
}

}  // namespace sgf
