// What a newcomer may try after the demo: command lines that work as they stand. Torch-free.
#pragma once

#include "lab/demo/demo_page.h"

#include <filesystem>
#include <string>
#include <vector>

namespace sgf {

struct DemoPlaces {
  std::filesystem::path models;  // with teacher, student, sf and sgf
  std::filesystem::path out;     // of the demo
  std::string trained;           // the name of a run folder in it
  int64_t steps = 0;             // of that run
  std::string world;             // the world that all of it is of
  bool has_videos = true;        // the build writes mp4 files
};

// From the working directory of this process.
std::vector<DemoCommand> next_commands(const DemoPlaces& places, const std::string& prompt);

}  // namespace sgf
