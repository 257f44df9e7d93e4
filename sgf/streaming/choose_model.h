// Which network `sgf generate` means: a preset with its shipped weights, a weight file, a Wan folder or a run folder.
#pragma once

#include "sgf/config/config.h"

#include <string>
#include <vector>

namespace sgf {

struct ModelArgs {
  std::string model;                   // --model
  std::string wan;                     // --wan
  std::string config;                  // --config: window, schedule and size, in place of the model's own or of a guess
  std::vector<std::string> overrides;  // --set
  std::string device = "auto";         // --device
  std::string dtype;                   // --dtype; the config's where it is empty, on a CPU float32
};

struct ChosenModel {
  Config config;
  std::string weights;  // a file or folder that read_start_weights takes
};

ChosenModel choose_model(const ModelArgs& args);

}  // namespace sgf
