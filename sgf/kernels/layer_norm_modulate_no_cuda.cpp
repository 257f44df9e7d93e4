// Stands in for layer_norm_modulate.cu in a build without CUDA; never called there.
#include "sgf/kernels/layer_norm_modulate_cuda.h"

namespace sgf::cuda {

const char* layer_norm_modulate(const LayerNormModulateForward&, const RowShape&, FloatType, cudaStream_t) {
  return kNoCuda;
}

const char* layer_norm_modulate(const LayerNormModulateBackward&, const RowShape&, FloatType, cudaStream_t) {
  return kNoCuda;
}

}  // namespace sgf::cuda
