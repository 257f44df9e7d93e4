// Waiting for a device and reading its memory, for measurements. Through c10's virtual interface: no CUDA header.
#pragma once

#include <c10/core/Device.h>

#include <cstdint>

namespace sgf {

// Returns when all queued work is done; at once on the CPU.
void synchronize(c10::Device device);

// Largest number of bytes held since the last reset: allocated by torch on a GPU, resident in the whole process,
// weights and libraries included, on the CPU.
int64_t peak_memory_bytes(c10::Device device);

// False where the system lets no process reset its peak: what is read then is the peak of all that ran before.
bool reset_peak_memory(c10::Device device);

}  // namespace sgf
