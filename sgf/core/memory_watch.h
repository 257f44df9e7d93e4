// How many bytes of tensors a piece of work holds at most. Through c10's virtual interfaces: no CUDA header.
#pragma once

#include "sgf/core/out_of_memory.h"

#include <c10/core/Device.h>

#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <string_view>

namespace c10 {
class DebugInfoGuard;
}

namespace sgf {

// Counts from its making on, beyond what was there before. On a GPU the allocator counts; on the CPU every allocation
// of this thread is seen, so the number is exact there too, unlike the process's resident memory.
class MemoryWatch {
 public:
  explicit MemoryWatch(c10::Device device);
  ~MemoryWatch();
  MemoryWatch(const MemoryWatch&) = delete;
  MemoryWatch& operator=(const MemoryWatch&) = delete;

  int64_t peak_bytes() const;

 private:
  class Ledger;

  c10::Device device_;
  int64_t at_start_ = 0;
  std::shared_ptr<Ledger> ledger_;
  std::unique_ptr<c10::DebugInfoGuard> guard_;
};

// Whether an exception says that memory ran out, on a GPU or on the CPU.
bool is_out_of_memory(const std::exception& error);

// Such an exception in words, torch's own among them; nothing for any other. `work` is what asked, "sgf generate".
std::optional<OutOfMemory> find_out_of_memory(const std::exception& error, std::string_view work);

// Hands back to the device what the allocator keeps for later. Nothing to do on the CPU.
void release_cached_memory(c10::Device device);

}  // namespace sgf
