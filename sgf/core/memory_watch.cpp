#include "sgf/core/memory_watch.h"

#include "sgf/core/device_memory.h"

#include <c10/core/Allocator.h>
#include <c10/core/CachingDeviceAllocator.h>
#include <c10/util/Exception.h>
#include <c10/util/ThreadLocalDebugInfo.h>

#include <algorithm>
#include <new>
#include <string_view>

namespace sgf {

// Torch reports allocations to whoever stands in the profiler's place.
class MemoryWatch::Ledger final : public c10::MemoryReportingInfoBase {
 public:
  void reportMemoryUsage(void*, int64_t bytes, size_t, size_t, c10::Device device) override {
    if (!device.is_cpu()) return;
    now_ += bytes;
    peak_ = std::max(peak_, now_);
  }
  bool memoryProfilingEnabled() const override { return true; }
  int64_t peak() const { return peak_; }

 private:
  int64_t now_ = 0;
  int64_t peak_ = 0;
};

MemoryWatch::MemoryWatch(c10::Device device) : device_(device) {
  if (device_.is_cpu()) {
    ledger_ = std::make_shared<Ledger>();
    guard_ = std::make_unique<c10::DebugInfoGuard>(c10::DebugInfoKind::PROFILER_STATE, ledger_);
    return;
  }
  synchronize(device_);
  reset_peak_memory(device_);
  at_start_ = peak_memory_bytes(device_);  // just reset: what is there now
}

MemoryWatch::~MemoryWatch() = default;

int64_t MemoryWatch::peak_bytes() const {
  return device_.is_cpu() ? ledger_->peak() : peak_memory_bytes(device_) - at_start_;
}

bool is_out_of_memory(const std::exception& error) {
  if (dynamic_cast<const c10::OutOfMemoryError*>(&error) != nullptr) return true;
  if (dynamic_cast<const std::bad_alloc*>(&error) != nullptr) return true;
  return std::string_view(error.what()).find("can't allocate memory") != std::string_view::npos;
}

void release_cached_memory(c10::Device device) {
  if (!device.is_cpu()) at::getDeviceAllocator(device.type())->emptyCache();
}

}  // namespace sgf
