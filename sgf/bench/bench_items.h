// Items of bench_passes() with a file of their own: streams, the VAE and VBench's metrics.
#pragma once

#include "sgf/bench/bench_passes.h"

#include <nlohmann/json.hpp>

#include <string>

namespace sgf {

// --- bench_stream.cpp: speed and memory of a stream of any length with random weights ---

// Items: "stream-dit" (latents only) and "stream" (decoded by a VAE of `setting.vae_dim`, counted, not encoded). In
// addition to the speed line: "over_time", memory and speed in each of eight equal parts of the stream.
void bench_stream(const PassesSettings& setting, const std::string& item, const BenchLine& line);

bool is_stream_item(const std::string& item);

// --- bench_vae.cpp: the Wan VAE with random weights, streaming decode block by block, and encoding a clip ---

bool is_vae_item(const std::string& item);

// The JSON line of "vae-decode" (a block of latent frames in the middle of a stream) or "vae-encode" (the frames of as
// many latent frames as the setting has, from the first on).
nlohmann::json bench_vae(const PassesSettings& setting, const std::string& item);

// --- bench_eval.cpp: VBench's metrics on frames in memory, with networks of full size and synthetic weights ---

bool is_eval_item(const std::string& item);

// One line "eval NAME" per metric, for a clip as VBench-Long scores it: `frames` frames of 8 height x 8 width at 16
// fps. Also for the static filter and the two networks between clips.
void bench_eval(const PassesSettings& setting, const BenchLine& line);

}  // namespace sgf
