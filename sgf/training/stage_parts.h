// Parts of several stages, built from the config.
#pragma once

#include "sgf/assembly/conditioning.h"
#include "sgf/config/config.h"
#include "sgf/dataset/clip_source.h"
#include "sgf/training/clip_stage.h"
#include "sgf/training/trained_dit.h"
#include "sgf/weights/weight_names.h"

#include <memory>
#include <string>
#include <vector>

namespace sgf {

// A network to train, with weights of `source` or random ones.
TrainedDit trained_dit(const Config& config, const std::string& source, c10::Device device,
                       WeightPurpose purpose = WeightPurpose::kTraining);

// The clips of data.clips, or the world's.
std::shared_ptr<const ClipSource> clip_source(const Config& config);

// Clips by sample of the run, a share of `dropout` without caption.
ClipBatches clip_batches(const Config& config, const Conditioning& conditioning, c10::Device device, double dropout);

// Prompts by number: from data.prompts, each once per epoch, or the world's captions.
std::shared_ptr<const PromptSource> prompt_source(const Config& config, const Conditioning& conditioning);

}  // namespace sgf
