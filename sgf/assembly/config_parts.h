// Parts of a run as its config names them: the network's sizes, blocks, window and denoising steps. Torch-free.
#pragma once

#include "sgf/config/config.h"
#include "sgf/context/context_policy.h"
#include "sgf/context/position_rule.h"
#include "sgf/core/frame_span.h"
#include "sgf/model/dit_config.h"

#include <vector>

namespace sgf {

// Sample videos a run shows where the config names no prompts for them.
constexpr int64_t kSamplePrompts = 4;

DitConfig dit_config_of(const Config& config);
ModelSettings model_settings(const DitConfig& network);  // and back
BlockLayout layout_of(const Config& config);
ContextPolicy policy_of(const Config& config);

// Where a stream's frames stand in RoPE time; training is absolute whatever this says.
PositionRule position_rule_of(const Config& config);

// Of a latent frame: [C, H, W].
std::vector<int64_t> latent_shape(const Config& config);

// The student's timesteps, noisiest first, warped where the config says so.
std::vector<double> denoising_steps(const Config& config);

}  // namespace sgf
