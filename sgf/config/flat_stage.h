// What a flat file trains: stage, networks, data, batch and gradient boundary.
#pragma once

#include <string>

#include "sgf/config/flat_reader.h"

namespace sgf {

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

}  // namespace sgf
