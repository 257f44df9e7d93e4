// Synchronising with a device and reading its memory, for measurements. Uses c10's virtual interface, no CUDA header.
#pragma once

#include <c10/core/Device.h>

#include <cstdint>

namespace sgf {

// Returns when all queued work is done; at once on the CPU.
void synchronize(c10::Device device);

// Largest number of bytes held since the last reset. On a GPU: allocated by torch. On the CPU: resident memory of the
// whole process, including weights and libraries.
int64_t peak_memory_bytes(c10::Device device);

// Returns false if the system does not let a process reset its peak; the peak then includes all earlier work.
bool reset_peak_memory(c10::Device device);

}  // namespace sgf
