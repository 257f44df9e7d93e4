// For work on frames of a few thousand pixels, where more threads only add waiting: 81 frames of 48 x 48 are rendered
// and measured several times faster on one thread than on two (docs/world.md).
#pragma once

#include <ATen/Parallel.h>

namespace sgf {

// torch computes on one thread while an instance lives. The setting applies to the whole process.
class OneThread {
 public:
  OneThread() { at::set_num_threads(1); }
  ~OneThread() { at::set_num_threads(before_); }
  OneThread(const OneThread&) = delete;
  OneThread& operator=(const OneThread&) = delete;

 private:
  int before_ = at::get_num_threads();
};

}  // namespace sgf
