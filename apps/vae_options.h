// Options of commands that use the Wan VAE.
#pragma once

#include "sgf/vae/wan_vae_codec.h"

#include <filesystem>
#include <string>

namespace CLI {
class App;
}

namespace sgf {

struct VaeArgs {
  std::string vae;
  std::string wan;
  std::string device = "auto";
  std::string dtype = "auto";
  int64_t tile = 0;  // pixels; 0: whole frames
  int64_t threads = 0;
};

// --vae FILE or --wan DIR, --device, --dtype, --tile, --threads.
void add_vae_args(CLI::App& command, VaeArgs& args);

// The file that the arguments name.
std::filesystem::path vae_file(const VaeArgs& args);

// Loads it, bfloat16 on a GPU and float32 on a CPU unless a dtype was asked for.
WanVaeCodec open_vae(const VaeArgs& args);

}  // namespace sgf
