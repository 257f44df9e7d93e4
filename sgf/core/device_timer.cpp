#include "sgf/core/device_timer.h"

#include <c10/core/Event.h>
#include <c10/core/impl/VirtualGuardImpl.h>

#include <chrono>
#include <optional>

namespace sgf {

struct DeviceTimer::Marks {
  using Clock = std::chrono::steady_clock;

  c10::Device device;
  std::optional<c10::Event> begin, end;  // on a GPU
  Clock::time_point clock_begin, clock_end;

  void set(std::optional<c10::Event>& mark) const {
    mark.emplace(device.type(), c10::EventFlag::BACKEND_DEFAULT);  // this flag enables timing
    mark->record(c10::impl::VirtualGuardImpl(device.type()).getStream(device));
  }
};

DeviceTimer::DeviceTimer(c10::Device device) : marks_(std::make_unique<Marks>(Marks{.device = device})) {}
DeviceTimer::~DeviceTimer() = default;
DeviceTimer::DeviceTimer(DeviceTimer&&) noexcept = default;
DeviceTimer& DeviceTimer::operator=(DeviceTimer&&) noexcept = default;

void DeviceTimer::start() {
  if (marks_->device.is_cpu())
    marks_->clock_begin = Marks::Clock::now();
  else
    marks_->set(marks_->begin);
}

void DeviceTimer::stop() {
  if (marks_->device.is_cpu())
    marks_->clock_end = Marks::Clock::now();
  else
    marks_->set(marks_->end);
}

double DeviceTimer::milliseconds() const {
  if (marks_->device.is_cpu())
    return std::chrono::duration<double, std::milli>(marks_->clock_end - marks_->clock_begin).count();
  marks_->end->synchronize();
  return marks_->begin->elapsedTime(*marks_->end);
}

}  // namespace sgf
