// Where a stream's pictures go: a video file, a folder, a pipe. Pictures come block by block and are gone afterwards.
#pragma once

#include "sgf/media/sink_place.h"

#include <ATen/core/Tensor.h>

namespace sgf {

class FrameSink {
 public:
  virtual ~FrameSink() = default;

  virtual void add(const at::Tensor& pictures) = 0;  // [F, 3, H, W] uint8 on the CPU
  virtual SinkPlace sync() = 0;                      // all that came is on the disk, and can be played
  virtual void finish() = 0;
};

}  // namespace sgf
