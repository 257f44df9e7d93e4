// Which network `sgf generate` means: a preset with its shipped weights, a weight file, a Wan folder or a run folder.
#pragma once

#include "sgf/core/config.h"

#include <string>
#include <vector>

namespace sgf {

struct ModelArgs {
  std::string model;                   // --model
  std::string wan;                     // --wan
  std::string config;                  // --config: window, schedule and size, where the model does not say them
  std::vector<std::string> overrides;  // --set
};

struct ChosenModel {
  Config config;
  std::string weights;  // a file or folder that read_start_weights takes
};

ChosenModel choose_model(const ModelArgs& args);

}  // namespace sgf
