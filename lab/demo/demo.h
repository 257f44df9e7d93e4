// A tour in minutes on a CPU: what the gradient boundary changes in one update, a short matched pair trained live, long
// videos of the bundled students, measured, and one page of it all.
#pragma once

#include "lab/demo/demo_page.h"
#include "sgf/config/config.h"
#include "sgf/core/progress_line.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

namespace sgf {

struct DemoSettings {
  Config config;                 // the world, and how the live pair is trained; its start and teacher are of `models`
  std::filesystem::path models;  // folders teacher, student, sf and sgf, as models/README.md says
  std::filesystem::path out;
  int64_t frames = 252;       // of the long videos: whole training lengths
  int64_t prompts = 12;       // one video per prompt and student
  int64_t measuring = 1;      // threads that measure them, one video each
  bool writes_videos = true;  // else the page shows strips
  ProgressMode progress = ProgressMode::kLog;
  ProgressOutput output = {};
  std::function<void(const std::string&)> say;  // hears a line where something begins or is done
};

struct DemoResult {
  DemoContents contents;
  std::filesystem::path page;
};

DemoResult run_demo(const DemoSettings& settings);

}  // namespace sgf
