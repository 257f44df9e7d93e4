// Stands in for column_sums.cu in a build without CUDA; never called there.
#include "sgf/kernels/column_sums_cuda.h"

namespace sgf::cuda {

const char* column_sums(const ColumnSums&, const RowShape&, FloatType, cudaStream_t) { return kNoCuda; }

}  // namespace sgf::cuda
