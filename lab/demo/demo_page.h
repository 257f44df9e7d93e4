// The page that the demo leaves: what the method is, videos that play, scores, the live training, and what to try next.
// One file that needs no other and no network; its one script seeks videos. Torch-free.
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

// An arm of the pair that was trained live: "SF" or "SGF".
struct DemoArm {
  std::string name;
  std::vector<MetricsRow> rows;
};

// All contestants' videos of one prompt.
struct DemoVideo {
  std::string prompt;
  std::string mp4;  // side by side in one file, so that all are at the same moment; empty: browsers cannot play it
  std::string png;  // moments of them, one row per contestant
  std::vector<FrameMarks> marks;  // what each frame shows, by contestant
};

struct DemoCommand {
  std::string words;  // what it does
  std::string line;   // as typed
};

struct DemoContents {
  int64_t train_frames = 21;
  int64_t frames = 252;  // of a long video
  double fps = 16;
  BoundaryGap gap;
  std::vector<DemoArm> arms;
  int64_t steps = 0, generator_updates = 0, batch = 0;  // of each arm
  std::vector<DemoContestant> contestants;              // student, SF, SGF, truth
  std::vector<DemoVideo> videos;                        // one per prompt
  std::vector<DemoCommand> commands;
};

std::string write_demo_page(const DemoContents& contents);

// What lies there while the demo runs, and after one that was stopped.
std::string write_unfinished_page();

}  // namespace sgf
