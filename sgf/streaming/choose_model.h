// Selects the network of `sgf generate`: a preset with bundled weights, a weight file, a Wan folder or a run folder.
#pragma once

#include "sgf/config/config.h"
#include "sgf/streaming/order_loras.h"

#include <string>
#include <vector>

namespace sgf {

struct ModelArgs {
  std::string model;                   // --model
  std::string wan;                     // --wan
  std::vector<std::string> loras;      // --lora FILE[:SCALE]
  std::string config;                  // --config: window, schedule and size, instead of the model's own
  std::vector<std::string> overrides;  // --set
  std::string device = "auto";         // --device
  std::string dtype;                   // --dtype; empty: the config's, or float32 on a CPU
  bool needs_window = true;            // false: all frames at once, so that a preset of the network's size is enough
};

struct ChosenModel {
  Config config;
  std::string weights;  // a file or folder for read_start_weights
  LoraHint lora;        // of a flat config
};

// Throws ModelQuestion (assembly/window_source.h) if weights are named whose window nothing tells, or a Wan folder in
// place of a student. Where the window came from a file or a folder's name, a notice says so.
ChosenModel choose_model(const ModelArgs& args);

}  // namespace sgf
