// Commands to try after the demo; they work as printed. Torch-free.
#pragma once

#include "lab/demo/demo_page.h"

#include <filesystem>
#include <string>
#include <vector>

namespace sgf {

struct DemoPlaces {
  std::filesystem::path models;  // with teacher, student, sf and sgf
  std::filesystem::path out;     // folder of the demo
  std::string trained;           // name of a run folder in `out`
  int64_t steps = 0;             // updates of that run
  std::string world;             // preset of the world
  bool has_videos = true;        // the build writes mp4 files
};

// From the working directory of this process.
std::vector<DemoCommand> next_commands(const DemoPlaces& places, const std::string& prompt);

}  // namespace sgf
