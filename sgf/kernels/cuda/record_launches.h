// Records the GPU work that a function queues, and replays it as one launch. Uses CUDA graphs; builds without CUDA link
// a stub.
#pragma once

#include <c10/core/Device.h>

#include <functional>
#include <memory>

namespace sgf {

class LaunchRecording {
 public:
  virtual ~LaunchRecording() = default;

  // Queues the recorded work on the current stream. It reads and writes the same memory as when it was recorded.
  virtual void replay() = 0;
};

// A stream of the device beside the current one. Recordings are made on it, and what they need (library workspaces)
// must have been created on it before. Its recordings share memory, so only one is replayed at a time.
class SideStream {
 public:
  explicit SideStream(c10::Device device);
  ~SideStream();

  // Runs after all work queued now and before all work queued later.
  void run(const std::function<void()>& work) const;
  // Records what `work` queues; nothing is computed yet.
  std::unique_ptr<LaunchRecording> record(const std::function<void()>& work) const;

 private:
  struct Handle;
  std::unique_ptr<Handle> handle_;
};

}  // namespace sgf
