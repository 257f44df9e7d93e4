// A video at another rate: of each moment the picture that is shown then. Torch-free.
#pragma once

#include "sgf/media/frame_source.h"

#include <cstdint>
#include <optional>

namespace sgf {

// Goes by the times of the pictures where the file has them, so that videos of a changing rate come out evenly; else by
// the file's rate. A folder of pictures has neither: its pictures are taken as they come.
class ResampledFrames {
 public:
  // The source outlives it.
  ResampledFrames(FrameSource& source, double fps);

  // The picture shown at 0, 1 / fps, 2 / fps and so on; nothing from the end of the video on.
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
  double duration_;  // of a picture, where the file does not say otherwise
  int64_t read_ = 0;
  int64_t given_ = 0;
  std::optional<Shown> now_, following_;
};

}  // namespace sgf
