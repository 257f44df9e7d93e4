// Speed and memory of a stream of any length with random weights: denoising only, or with the VAE.
#pragma once

#include "sgf/bench/bench_passes.h"

namespace sgf {

// Items: "stream-dit" (latents only) and "stream" (decoded by a VAE of `setting.vae_dim`, counted, not encoded). In
// addition to the speed line: "over_time", memory and speed in each of eight equal parts of the stream.
void bench_stream(const PassesSetting& setting, const std::string& item, const BenchLine& line);

bool is_stream_item(const std::string& item);

}  // namespace sgf
