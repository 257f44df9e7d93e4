// The page of the demo: the method, videos, scores, the live training, and commands to try next. One file that needs
// no other file and no network; its script seeks videos. Torch-free.
#pragma once

#include "lab/demo/demo_scores.h"
#include "lab/demo/demo_timeline.h"
#include "sgf/diagnosis/boundary_gap.h"
#include "sgf/runs/metrics_row.h"

#include <cstdint>
#include <string>
#include <vector>

namespace sgf {

inline constexpr const char* kDemoTitle = "Self Gradient Forcing, a tour";

// One run of the live pair: "SF" or "SGF".
struct DemoArm {
  std::string name;
  std::vector<MetricsRow> rows;
};

// The videos of all contestants for one prompt.
struct DemoVideo {
  std::string prompt;
  std::string mp4;  // all videos side by side, so that they play in sync; empty if browsers cannot play it
  std::string png;  // one row of moments per contestant
  std::vector<FrameMarks> marks;  // one per contestant
};

struct DemoCommand {
  std::string words;  // what it does
  std::string line;   // as typed
};

struct DemoContents {
  int64_t train_frames = 21;
  int64_t frames = 252;  // per long video
  double fps = 16;
  BoundaryGap gap;
  std::vector<DemoArm> arms;
  int64_t steps = 0, generator_updates = 0, batch = 0;  // of each arm
  std::vector<DemoContestant> contestants;              // student, SF, SGF, true clips
  std::vector<DemoVideo> videos;                        // one per prompt
  std::vector<DemoCommand> commands;
};

std::string write_demo_page(const DemoContents& contents);

// The page while the demo runs, and after it was stopped.
std::string write_unfinished_page();

}  // namespace sgf
