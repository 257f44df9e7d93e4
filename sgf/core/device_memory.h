// Waiting for a device and reading its memory, for measurements. Through c10's virtual interface: no CUDA header.
#pragma once

#include <c10/core/Device.h>

#include <cstdint>

namespace sgf {

// Returns when all queued work is done; at once on the CPU.
void synchronize(c10::Device device);

// Largest number of bytes allocated since the last reset. On the CPU: the process's peak resident memory, which
// can't be reset.
int64_t peak_memory_bytes(c10::Device device);
void reset_peak_memory(c10::Device device);

}  // namespace sgf
