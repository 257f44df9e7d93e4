// `sgf demo`, minutes on a CPU: the two gradients of one update, a short matched pair trained live, long videos of the
// bundled students with their scores, and one page that shows all of it.
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
  Config config;                 // world and training of the live pair; start and teacher come from `models`
  std::filesystem::path models;  // with subfolders teacher, student, sf and sgf
  std::filesystem::path out;
  int64_t frames = 252;       // latent frames per long video, a multiple of the trained length
  int64_t prompts = 12;       // one video per prompt and student
  int64_t measuring = 1;      // threads that measure videos, one video each
  bool writes_videos = true;  // false: the page shows strips
  ProgressMode progress = ProgressMode::kLog;
  ProgressOutput output = {};
  std::function<void(const std::string&)> say;  // receives one line per stage
};

struct DemoResult {
  DemoContents contents;
  std::filesystem::path page;
};

DemoResult run_demo(const DemoSettings& settings);

}  // namespace sgf
