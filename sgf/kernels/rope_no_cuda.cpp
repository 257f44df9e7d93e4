// Stands in for rope.cu in a build without CUDA; never called there.
#include "sgf/kernels/rope_cuda.h"

namespace sgf::cuda {

const char* rotate(const Rotation&, FloatType, cudaStream_t) { return kNoCuda; }

}  // namespace sgf::cuda
