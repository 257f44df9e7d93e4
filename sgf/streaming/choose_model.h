// Selects the network of `sgf generate`: a preset with bundled weights, a weight file, a Wan folder or a run folder.
#pragma once

#include "sgf/config/config.h"

#include <string>
#include <vector>

namespace sgf {

struct ModelArgs {
  std::string model;                   // --model
  std::string wan;                     // --wan
  std::vector<std::string> loras;      // --lora FILE[:SCALE]
  std::string config;                  // --config: window, schedule and size, instead of the model's own or a guess
  std::vector<std::string> overrides;  // --set
  std::string device = "auto";         // --device
  std::string dtype;                   // --dtype; empty: the config's, or float32 on a CPU
};

struct ChosenModel {
  Config config;
  std::string weights;  // a file or folder for read_start_weights
};

ChosenModel choose_model(const ModelArgs& args);

}  // namespace sgf
