// How long queued work takes on its device, without waiting for it. Uses c10's virtual interface, no CUDA header.
#pragma once

#include <c10/core/Device.h>

#include <memory>

namespace sgf {

// Uses the clock on the CPU, and two events in the current stream on a GPU.
class DeviceTimer {
 public:
  explicit DeviceTimer(c10::Device device);
  ~DeviceTimer();
  DeviceTimer(DeviceTimer&&) noexcept;
  DeviceTimer& operator=(DeviceTimer&&) noexcept;

  void start();
  void stop();
  double milliseconds() const;  // waits until both events have passed

 private:
  struct Marks;
  std::unique_ptr<Marks> marks_;
};

}  // namespace sgf
