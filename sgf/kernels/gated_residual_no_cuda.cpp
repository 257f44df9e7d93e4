// Stands in for gated_residual.cu in a build without CUDA; never called there.
#include "sgf/kernels/gated_residual_cuda.h"

namespace sgf::cuda {

const char* gated_residual(const GatedResidualForward&, const RowShape&, FloatType, cudaStream_t) { return kNoCuda; }

const char* gated_residual(const GatedResidualBackward&, const RowShape&, FloatType, cudaStream_t) { return kNoCuda; }

}  // namespace sgf::cuda
