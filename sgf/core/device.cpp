#include "sgf/core/device.h"

#include "sgf/core/error.h"

#include <ATen/Context.h>

#include <string>

namespace sgf {
namespace {

#ifdef SGF_WITH_CUDA
constexpr bool kBuiltWithCuda = true;
#else
constexpr bool kBuiltWithCuda = false;
#endif

c10::Device parsed(std::string_view name) {
  try {
    return c10::Device(std::string(name));
  } catch (const std::exception&) {
    fail("core", "device '{}' is unknown; try auto, cpu, cuda or cuda:N", name);
  }
}

}  // namespace

bool cuda_is_available() { return kBuiltWithCuda && at::hasCUDA(); }

c10::Device device_from_name(std::string_view name) {
  if (name == "auto") return cuda_is_available() ? c10::Device("cuda:0") : c10::Device("cpu");
  const c10::Device device = parsed(name);
  if (device.is_cpu()) return device;
  check(device.is_cuda(), "core", "device '{}' is not supported; try cpu or cuda", name);
  check(kBuiltWithCuda, "core", "device '{}': this build has no CUDA; build with `./run setup --cuda`, or use cpu",
        name);
  check(at::hasCUDA(), "core", "device '{}': no usable NVIDIA GPU on this machine; use cpu", name);
  const c10::DeviceIndex index = device.has_index() ? device.index() : c10::DeviceIndex{0};
  const auto count = at::detail::getCUDAHooks().deviceCount();
  check(index < count, "core", "device '{}': this machine has {} GPU(s)", name, static_cast<int>(count));
  return c10::Device(c10::kCUDA, index);
}

}  // namespace sgf
