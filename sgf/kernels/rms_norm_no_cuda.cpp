// Stands in for rms_norm.cu in a build without CUDA; never called there.
#include "sgf/kernels/rms_norm_cuda.h"

namespace sgf::cuda {

const char* rms_norm(const RmsNormForward&, const RowShape&, FloatType, cudaStream_t) { return kNoCuda; }

const char* rms_norm(const RmsNormBackward&, const RowShape&, FloatType, cudaStream_t) { return kNoCuda; }

}  // namespace sgf::cuda
