// Stands in for noise_fill.cu in a build without CUDA.
#include "sgf/kernels/noise_fill_cuda.h"

namespace sgf::cuda {

const char* fill_noise(void*, NoiseDtype, NoiseDistribution, const NoiseRows&, cudaStream_t) {
  return "this build has no CUDA kernels: configure with CUDA, or draw on the CPU";
}

}  // namespace sgf::cuda
