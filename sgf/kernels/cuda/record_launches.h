// What a piece of work queues on a GPU, taken down once and queued again as one. CUDA graphs, with a stub for builds
// without CUDA beside it.
#pragma once

#include <c10/core/Device.h>

#include <functional>
#include <memory>

namespace sgf {

class LaunchRecording {
 public:
  virtual ~LaunchRecording() = default;

  // Queues all of it on the current stream. It reads and writes where it did when it was recorded.
  virtual void replay() = 0;
};

// A stream of the device beside the current one: recordings are made on it, and what they need (workspaces of
// libraries) must have been made on it before. Its recordings share memory: one is replayed at a time.
class SideStream {
 public:
  explicit SideStream(c10::Device device);
  ~SideStream();

  // After all that is queued now, and before all that is queued later.
  void run(const std::function<void()>& work) const;
  // Takes down what `work` queues; nothing of it is computed yet.
  std::unique_ptr<LaunchRecording> record(const std::function<void()>& work) const;

 private:
  struct Handle;
  std::unique_ptr<Handle> handle_;
};

}  // namespace sgf
