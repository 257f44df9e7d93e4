// Work on pictures of a few thousand pixels, which threads only wait for: 81 frames of 48 x 48 render and measure
// several times faster on one thread than on two (docs/world.md).
#pragma once

#include <ATen/Parallel.h>

namespace sgf {

// torch computes on one thread while this lives. The setting is the whole process's.
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
