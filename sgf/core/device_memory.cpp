#include "sgf/core/device_memory.h"

#include <c10/core/CachingDeviceAllocator.h>
#include <c10/core/impl/VirtualGuardImpl.h>
#include <sys/resource.h>

namespace sgf {
namespace {

int64_t peak_resident_bytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<int64_t>(usage.ru_maxrss) * 1024;
}

}  // namespace

void synchronize(c10::Device device) {
  if (!device.is_cpu()) c10::impl::VirtualGuardImpl(device.type()).synchronizeDevice(device.index());
}

int64_t peak_memory_bytes(c10::Device device) {
  if (device.is_cpu()) return peak_resident_bytes();
  constexpr size_t kAggregate = 0;
  return at::getDeviceAllocator(device.type())->getDeviceStats(device.index()).allocated_bytes[kAggregate].peak;
}

void reset_peak_memory(c10::Device device) {
  if (!device.is_cpu()) at::getDeviceAllocator(device.type())->resetPeakStats(device.index());
}

}  // namespace sgf
