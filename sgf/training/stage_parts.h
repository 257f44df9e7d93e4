// Parts that stages of several kinds are built from, as the config names them.
#pragma once

#include "sgf/assembly/conditioning.h"
#include "sgf/config/config.h"
#include "sgf/dataset/clip_source.h"
#include "sgf/training/clip_stage.h"
#include "sgf/training/trained_dit.h"

#include <memory>
#include <string>
#include <vector>

namespace sgf {

// Weights of `source`, or fresh ones, to be trained.
TrainedDit trained_dit(const Config& config, const std::string& source, c10::Device device);

// The clips of data.clips, or the world's.
std::shared_ptr<const ClipSource> clip_source(const Config& config);

// Its clips, `dropout` of them without their caption; by sample of the run.
ClipBatches clip_batches(const Config& config, const Conditioning& around, c10::Device device, double dropout);

// Prompts by number: of data.prompts, each once an epoch, or the world's captions.
std::shared_ptr<const PromptSource> prompt_source(const Config& config, const Conditioning& around);

}  // namespace sgf
