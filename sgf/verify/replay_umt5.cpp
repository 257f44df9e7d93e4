// Replay of the text encoder: all token rows, padding included.
#include "sgf/core/file_error.h"
#include "sgf/text/umt5_encoder.h"
#include "sgf/verify/replay_kinds.h"

#include <ATen/ATen.h>

#include <array>

namespace sgf {
namespace {

// The sizes in the recording's config must match its weights.
void check_umt5_config(const Recording& recording, const Umt5Config& found) {
  const nlohmann::json& config = recording.setting("config");
  const std::array<std::pair<const char*, int64_t>, 7> sizes{{{"vocab", found.vocabulary},
                                                              {"dim", found.dim},
                                                              {"dim_attn", found.dim_attn},
                                                              {"dim_ffn", found.dim_ffn},
                                                              {"num_heads", found.num_heads},
                                                              {"num_layers", found.num_layers},
                                                              {"num_buckets", found.num_buckets}}};
  for (const auto& [key, size] : sizes) {
    SGF_CHECK_FILE(!config.contains(key) || config.at(key) == size, recording.path(),
                   "config has {} {}, but its weights have {}", key, config.value(key, nlohmann::json()).dump(), size);
  }
}

}  // namespace

NamedTensors replay_umt5(const Recording& recording, const ReplayOptions& options) {
  const Umt5Encoder encoder(recording.file_with("w."), at::TensorOptions().dtype(options.dtype).device(options.device),
                            Umt5Residence::kLayerByLayer, "w.");
  check_umt5_config(recording, encoder.config());
  const at::Tensor mask = recording.has_input("mask") ? recording.input("mask") : at::Tensor();
  return {{"out.hidden", encoder.forward(recording.input("ids"), mask)}};
}

}  // namespace sgf
