// The stream on which torch is queueing, for sgf's own launches. Found through c10's virtual interface, so this
// compiles and links against a libtorch without CUDA.
#pragma once

#include <c10/core/Device.h>

namespace sgf {

// The native handle (a cudaStream_t on CUDA) of the current stream of `device`.
void* current_stream(c10::Device device);

}  // namespace sgf
