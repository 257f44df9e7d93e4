// A video at another frame rate: for each moment, the frame that is shown then. Torch-free.
#pragma once

#include "sgf/media/frame_source.h"

#include <cstdint>
#include <optional>

namespace sgf {

// Uses the timestamps of the frames if the file has them, so that videos with a variable rate come out evenly,
// otherwise the file's rate. A folder of frames has neither: its frames are used as they are.
class ResampledFrames {
 public:
  // The source must outlive this object.
  ResampledFrames(FrameSource& source, double fps);

  // The frame shown at 0, 1 / fps, 2 / fps and so on; nullopt after the end of the video.
  std::optional<RgbImage> next();

 private:
  struct Shown {
    RgbImage image;
    double time = 0;
  };
  std::optional<Shown> read();
  bool is_over(double time) const;

  FrameSource& source_;
  double fps_;
  double duration_;  // of a frame, unless the file says otherwise
  int64_t read_ = 0;
  int64_t given_ = 0;
  std::optional<Shown> now_, following_;
};

}  // namespace sgf
