// Times the Wan VAE with random weights: streaming decode block by block, and encoding a clip.
#pragma once

#include "sgf/bench/bench_passes.h"

#include <nlohmann/json.hpp>

#include <string>

namespace sgf {

bool is_vae_item(const std::string& item);

// The JSON line of "vae-decode" (a block of latent frames in the middle of a stream) or "vae-encode" (the frames of as
// many latent frames as the setting has, from the first on).
nlohmann::json bench_vae(const PassesSetting& setting, const std::string& item);

}  // namespace sgf
