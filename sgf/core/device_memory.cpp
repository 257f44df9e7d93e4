#include "sgf/core/device_memory.h"

#include "sgf/core/error.h"

#include <c10/core/CachingDeviceAllocator.h>
#include <c10/core/impl/VirtualGuardImpl.h>
#include <malloc.h>

#include <fstream>
#include <string>

namespace sgf {
namespace {

constexpr int64_t kKilobyte = 1024;

int64_t peak_resident_bytes() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;)
    if (int64_t kilobytes = 0; word == "VmHWM:" && status >> kilobytes) return kilobytes * kKilobyte;
  fail("peak memory cannot be measured: /proc/self/status has no VmHWM");
}

bool reset_peak_resident() {
  malloc_trim(0);  // memory that earlier work has freed must not count here
  std::ofstream refs("/proc/self/clear_refs");
  refs << "5" << std::flush;  // 5 resets only the peak (man 5 proc)
  return refs.good();
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

bool reset_peak_memory(c10::Device device) {
  if (device.is_cpu()) return reset_peak_resident();
  at::getDeviceAllocator(device.type())->resetPeakStats(device.index());
  return true;
}

}  // namespace sgf
