// Stands in for channel_norm.cu in a build without CUDA; never called there.
#include "sgf/kernels/channel_norm_cuda.h"

namespace sgf::cuda {

const char* channel_norm(const ChannelNormForward&, const RowShape&, FloatType, cudaStream_t) { return kNoCuda; }

}  // namespace sgf::cuda
