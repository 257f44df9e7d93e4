// The peak number of tensor bytes that a piece of work holds. Uses c10's virtual interfaces, no CUDA header.
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

// Counts from construction, excluding what was allocated before. On a GPU the allocator counts. On the CPU every
// allocation of this thread is seen, so the number is exact, unlike the process's resident memory.
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

// Describes such an exception; nullopt for any other. `work` names what asked for memory, such as "sgf generate".
std::optional<OutOfMemory> find_out_of_memory(const std::exception& error, std::string_view work);

// Returns the allocator's cached memory to the device. Does nothing on the CPU.
void release_cached_memory(c10::Device device);

}  // namespace sgf
