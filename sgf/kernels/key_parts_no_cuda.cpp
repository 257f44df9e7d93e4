// Stands in for key_parts.cu in a build without CUDA; never called there.
#include "sgf/kernels/key_parts_cuda.h"

namespace sgf::cuda {

const char* join_parts(const JoinParts&, FloatType, cudaStream_t) { return kNoCuda; }

int64_t processor_count(int) { return 1; }

}  // namespace sgf::cuda
