// How long queued work takes on its device, without waiting for it. Through c10's virtual interface: no CUDA header.
#pragma once

#include <c10/core/Device.h>

#include <memory>

namespace sgf {

// On the CPU the clock; on a GPU two marks in the queue that is current when they are set.
class DeviceTimer {
 public:
  explicit DeviceTimer(c10::Device device);
  ~DeviceTimer();
  DeviceTimer(DeviceTimer&&) noexcept;
  DeviceTimer& operator=(DeviceTimer&&) noexcept;

  void start();
  void stop();
  double milliseconds() const;  // waits until both marks were passed

 private:
  struct Marks;
  std::unique_ptr<Marks> marks_;
};

}  // namespace sgf
