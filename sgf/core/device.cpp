#include "sgf/core/device.h"

#include "sgf/core/cpu_tiles.h"
#include "sgf/core/error.h"
#include "sgf/core/in_quotes.h"

#include <ATen/Context.h>

#include <charconv>
#include <string>

namespace sgf {
namespace {

#ifdef SGF_WITH_CUDA
constexpr bool kBuiltWithCuda = true;
#else
constexpr bool kBuiltWithCuda = false;
#endif

constexpr std::string_view kNumbered = "cuda:";

// Runs when the program is loaded: oneDNN reads its settings only before its first matmul.
[[maybe_unused]] const bool kTilesAreSafe = (avoid_undescribed_tiles(), true);

// N for "cuda:N", 0 for "cuda".
int64_t gpu_number(std::string_view name) {
  int64_t number = 0;
  if (name.starts_with(kNumbered)) std::from_chars(name.data() + kNumbered.size(), name.data() + name.size(), number);
  return number;
}

}  // namespace

bool is_device_name(std::string_view name) {
  if (name == "auto" || name == "cpu" || name == "cuda") return true;
  if (!name.starts_with(kNumbered)) return false;
  const std::string_view digits = name.substr(kNumbered.size());
  return !digits.empty() && digits.size() <= 3 && digits.find_first_not_of("0123456789") == std::string_view::npos;
}

bool cuda_is_available() { return kBuiltWithCuda && at::hasCUDA(); }

c10::Device device_from_name(std::string_view name) {
  if (name == "auto") return cuda_is_available() ? c10::Device("cuda:0") : c10::Device("cpu");
  SGF_CHECK(is_device_name(name), "device must be auto, cpu, cuda or cuda:N, got {}", in_quotes(name));
  if (name == "cpu") return c10::Device("cpu");
  SGF_CHECK(kBuiltWithCuda, "device '{}': this build has no CUDA; build with `./run setup --cuda`, or use cpu", name);
  SGF_CHECK(at::hasCUDA(), "device '{}': no usable NVIDIA GPU on this machine; use cpu", name);
  const auto count = at::detail::getCUDAHooks().deviceCount();
  SGF_CHECK(gpu_number(name) < count, "device '{}': this machine has {} GPU(s)", name, static_cast<int>(count));
  return c10::Device(c10::kCUDA, static_cast<c10::DeviceIndex>(gpu_number(name)));
}

c10::Device device_of(DeviceKind kind) { return device_from_name(enum_name(kind)); }

c10::Device device_of_rank(DeviceKind kind, int64_t local_rank) {
  const c10::Device device = device_of(kind);
  if (device.is_cpu() || at::detail::getCUDAHooks().deviceCount() == 1) return device;
  return device_from_name("cuda:" + std::to_string(local_rank));
}

void forbid_tf32() { at::globalContext().setAllowTF32CuDNN(false); }

}  // namespace sgf
