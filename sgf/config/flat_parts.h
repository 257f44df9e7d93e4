// The parts of translating a flat Self-Forcing-style file, each in a file of its name: flat_stage.cpp, flat_window.cpp,
// flat_numerics.cpp and flat_refusals.cpp.
#pragma once

#include "sgf/config/flat_reader.h"

#include <string>

namespace sgf {

// --- what the file trains: stage, networks, data, batch and gradient boundary ---

// The stage that the file's trainer runs. Throws on other trainers.
std::string flat_stage(const FlatReader& file);

// Whether the file has settings of inference alone: no trainer, no learning rate.
bool is_inference_only(const FlatReader& file);

void take_stage(FlatReader& file);
void take_networks(FlatReader& file);
void take_ema(FlatReader& file);
void take_batch(FlatReader& file);
// The scale of the LoRA that the file describes, which LongLive's LoRA files leave out.
void take_adapter(FlatReader& file);

// --- size of the video, and the history that a block sees ---

// Whether the file is of the paper's release: it names its gradient, its cache or its exit steps. There
// `local_attn_size` leaves the sink out; in Self-Forcing, LongLive and FastVideo it counts the sink.
bool is_self_gradient_forcing(const FlatReader& file);

void take_sizes(FlatReader& file);

// Uses what take_sizes has checked.
void take_window(FlatReader& file);

// --- noise schedule, scores, precision and optimisers ---

void take_numerics(FlatReader& file);

// --- public files of the family that describe another method or another network ---

// Each is refused with the reason and the nearest thing that works.
// A file whose training alone is of another method keeps its window and steps: see FlatReader::refuse_training.
void refuse_other_methods(FlatReader& file);

// LongLive 2.0 has sections, some with our names.
void refuse_sections_of_longlive(const ConfigNode& tree);

}  // namespace sgf
