// Uses VirtualGuardImpl; its CUDA implementation registers itself when libtorch_cuda is loaded.
#include "sgf/kernels/cuda/current_stream.h"

#include <c10/core/Stream.h>
#include <c10/core/impl/VirtualGuardImpl.h>

namespace sgf {

void* current_stream(c10::Device device) {
  return c10::impl::VirtualGuardImpl(device.type()).getStream(device).native_handle();
}

}  // namespace sgf
