// What the diagnoses of `sgf diagnose` share: a config, weights, a device.
#pragma once

#include "sgf/config/config.h"

#include <c10/core/Device.h>

#include <cstdint>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace sgf {

struct DiagnoseArgs {
  std::string config;
  std::vector<std::string> overrides;
  std::string weights;
  std::string device;
  std::string dtype;
  int64_t threads = 0;
  bool json = false;
};

void add_diagnose_args(CLI::App& command, DiagnoseArgs& args);

// The config as the arguments change it, validated; and the device, from either. Passes of training need a config that
// can be trained, streams do not.
Config diagnosed_config(const DiagnoseArgs& args);
Config diagnosed_stream(const DiagnoseArgs& args);
c10::Device diagnosed_device(const DiagnoseArgs& args, const Config& config);

void add_diagnose_recovery(CLI::App& diagnose);
void add_diagnose_feasibility(CLI::App& diagnose);
void add_diagnose_vae_boundary(CLI::App& diagnose);
void add_diagnose_sink(CLI::App& diagnose);

}  // namespace sgf
