// Samples videos of many-step models (bidirectional teachers and teacher-forced models) for a list of prompts.
#pragma once

#include "sgf/core/enum_names.h"
#include "sgf/rollout/solver_walk.h"
#include "sgf/streaming/stream_parts.h"

#include <array>
#include <functional>
#include <string>
#include <vector>

namespace sgf {

enum class SampleMode {
  kAtOnce,  // bidirectional: every frame attends to every frame
  kBlocks,  // teacher-forced: block by block with a cache of clean blocks
};

constexpr auto enum_names(SampleMode) {
  return std::array{EnumName{SampleMode::kAtOnce, "at-once"}, EnumName{SampleMode::kBlocks, "blocks"}};
}

// The sampling mode for a stage; throws for few-step students, which `sgf generate` streams.
SampleMode sample_mode_of(const Config& config);

struct SampleRequest {
  Config config;  // network, window, size, seed
  std::vector<std::string> prompts;
  std::string negative;
  SampleMode mode = SampleMode::kAtOnce;
  SamplerSettings sampler;
  int64_t batch = 4;  // prompts per forward
};

// Called with each video, frames [F, 3, H, W] in [0, 1], and the number of its prompt. A video depends on its prompt,
// its number and the seed, not on the batch.
using VideoSeen = std::function<void(int64_t number, const at::Tensor& video)>;
void sample_many_steps(const SampleRequest& request, const StreamParts& parts, const VideoSeen& seen);

}  // namespace sgf
