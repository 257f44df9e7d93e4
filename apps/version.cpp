#include "apps/version.h"

#include "sgf/core/build_version.h"
#include "sgf/media/video_writer.h"
#include "sgf/serving/http/http_server.h"

#include <fmt/format.h>
#include <torch/headeronly/version.h>
#ifdef SGF_WITH_CUDA
#include <cuda_runtime_api.h>
#endif

namespace sgf {
namespace {

std::string cuda_text() {
#ifdef SGF_WITH_CUDA
  return fmt::format("CUDA {}.{}", CUDART_VERSION / 1000, CUDART_VERSION % 1000 / 10);
#else
  return "no CUDA";
#endif
}

}  // namespace

std::string version_text() {
  return fmt::format(
      "sgf {}\ncommit {}\ntorch {}\n{}\n{}\n{}\nreads safetensors, torch zip, torch legacy; writes safetensors, torch "
      "zip",
      build_version(), build_commit(), TORCH_VERSION, cuda_text(), video_component(), http_component());
}

}  // namespace sgf
