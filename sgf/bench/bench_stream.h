// Speed and memory of a stream of any length on random weights: denoising alone, or with the VAE beside it.
#pragma once

#include "sgf/bench/bench_passes.h"

namespace sgf {

// Items: "stream-dit" (latents alone) and "stream" (decoded by a VAE of `setting.vae_dim`, counted, not encoded).
// Beside the speed line: "over_time", the memory held during each of eight equal parts of the stream and the pace
// there.
void bench_stream(const PassesSetting& setting, const std::string& item, const BenchLine& line);

bool is_stream_item(const std::string& item);

}  // namespace sgf
