// What is in a folder of any models: Wan folders, weight files, runs. Only headers are read. Torch-free.
#pragma once

#include "sgf/assembly/wan_survey.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace sgf {

// Latent channels of Wan's networks; those of the built-in worlds have others.
constexpr int64_t kWanChannels = 16;

// A weight file beside Wan folders, or a run with all its checkpoints: a student or another network.
struct SurveyedWeights {
  std::filesystem::path file;  // of a run, its folder
  uint64_t bytes = 0;
  std::string content;               // "generator, generator_ema: wan-1.3b; 1650 F32"
  std::string problem;               // why it cannot be used
  std::optional<DitConfig> dit;      // of its network, if it is a DiT
  bool is_many_step = false;         // few-step training starts from it, and sgf generate needs a student of that
  std::string config;                // that has its window: a preset or a file; "" if nothing tells
  std::string window;                // where its window comes from: "wan-1.3b-chunkwise, because ..."
  std::vector<std::string> choices;  // if nothing tells: --config NAME, a line each
};

SurveyedWeights survey_weights(const std::filesystem::path& file);

struct FolderSurvey {
  std::vector<WanSurvey> wans;
  std::vector<SurveyedWeights> weights;

  bool is_broken() const;
};

// A Wan folder, a folder of checkpoints, or a folder that has such folders up to four levels below it.
FolderSurvey survey_folder(const std::filesystem::path& path);

}  // namespace sgf
