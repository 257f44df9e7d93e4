// Where a stream's pictures go: a video file, a folder, a pipe. Pictures come block by block and are gone afterwards.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace sgf {

// How far a sink had come when a stream was saved: enough to take up again after a kill.
struct SinkPlace {
  int64_t pictures = 0;
  int64_t bytes = 0;  // of the file, where it is one; whatever lies after them is cut off

  bool operator==(const SinkPlace&) const = default;
};

class FrameSink {
 public:
  virtual ~FrameSink() = default;

  virtual void add(const at::Tensor& pictures) = 0;  // [F, 3, H, W] uint8 on the CPU
  virtual SinkPlace sync() = 0;                      // all that came is on the disk, and can be played
  virtual void finish() = 0;
};

}  // namespace sgf
