#include "sgf/core/memory_watch.h"

#include "sgf/core/device_memory.h"

#include <c10/core/Allocator.h>
#include <c10/core/CachingDeviceAllocator.h>
#include <c10/util/Exception.h>
#include <c10/util/ThreadLocalDebugInfo.h>

#include <algorithm>
#include <cstdlib>
#include <new>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace sgf {
namespace {

// Torch says "... can't allocate memory: you tried to allocate 123 bytes. ..." on the CPU and "Tried to allocate 2.00
// GiB. ..." on a GPU.
size_t bytes_asked_for(std::string_view text) {
  constexpr std::string_view kAsked = "ried to allocate ";
  const size_t at = text.find(kAsked);
  if (at == std::string_view::npos) return 0;
  const std::string rest(text.substr(at + kAsked.size(), 40));
  char* unit = nullptr;
  const double number = std::strtod(rest.c_str(), &unit);
  for (const auto& [name, factor] :
       {std::pair{" bytes", 1.0}, {" KiB", 0x1p10}, {" MiB", 0x1p20}, {" GiB", 0x1p30}, {" TiB", 0x1p40}})
    if (std::string_view(unit).starts_with(name)) return static_cast<size_t>(std::clamp(number * factor, 0.0, 0x1p63));
  return 0;
}

}  // namespace

// Torch reports every allocation to the object registered as the profiler.
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
  at_start_ = peak_memory_bytes(device_);  // just reset, so this is the current use
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

std::optional<OutOfMemory> find_out_of_memory(const std::exception& error, std::string_view work) {
  if (const auto* known = dynamic_cast<const OutOfMemory*>(&error))
    return known->names_work() ? *known : OutOfMemory(known->bytes(), work);
  const bool is_too_long = dynamic_cast<const std::length_error*>(&error) != nullptr;  // longer than any vector can be
  if (!is_too_long && !is_out_of_memory(error)) return std::nullopt;
  return OutOfMemory(bytes_asked_for(error.what()), work);
}

void release_cached_memory(c10::Device device) {
  if (!device.is_cpu()) at::getDeviceAllocator(device.type())->emptyCache();
}

}  // namespace sgf
