// A strip under each video of the demo that shows which frames are valid, and the moments at which objects are lost.
// Torch-free.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace sgf {

enum class FrameMark : uint8_t {
  kValid,       // shows what the prompt says
  kOther,       // all objects are there, but something else is wrong: another object, the background
  kObjectLost,  // an object of the prompt is not there
};

// The marks of one video.
struct FrameMarks {
  std::string name;
  std::vector<FrameMark> frames;
};

// The first frame of the first gap of at least half a second without an object. Shorter gaps are flicker or errors of
// the measure.
std::optional<int64_t> first_loss(const std::vector<FrameMark>& frames, double fps);

struct DemoTimeline {
  std::vector<FrameMarks> rows;  // one per contestant, in their order
  int64_t train_frames = 21;
  double fps = 16;
};

// One strip per contestant, a line where the training length ends, and one button per lost object. Strips and buttons
// seek the video of their figure, with assets/seek.js. Without videos (`is_playable` false) the moments are text.
std::string draw_timeline(const DemoTimeline& timeline, bool is_playable);

}  // namespace sgf
