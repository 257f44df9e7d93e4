// Shared by the row kernels on the host: the shape they walk, element types, and launches that can fail.
#pragma once

#include <cstdint>

// As cuda_runtime_api.h declares it; named here so that callers need no CUDA headers.
typedef struct CUstream_st* cudaStream_t;

namespace sgf::cuda {

// The error of the stubs in a build without CUDA.
inline constexpr const char* kNoCuda = "this build has no CUDA kernels; build with CUDA, or use the CPU";

enum class FloatType { kFloat32, kBFloat16 };

// Rows of `channels`, in groups that share a modulation row: [groups, rows_per_group, channels], contiguous.
struct RowShape {
  int64_t groups = 0;
  int64_t rows_per_group = 0;
  int64_t channels = 0;

  int64_t rows() const { return groups * rows_per_group; }
};

// The rows of a group are divided among this many blocks. Column sums are taken per block and the caller adds them, so
// the result does not depend on the order in which blocks finish.
inline int64_t row_splits(const RowShape& shape) {
  constexpr int64_t kRowsPerBlock = 64, kMost = 1024;
  const int64_t wanted = (shape.rows_per_group + kRowsPerBlock - 1) / kRowsPerBlock;
  return wanted < 1 ? 1 : (wanted > kMost ? kMost : wanted);
}

// The same for kernels that sum over no column, whose blocks walk `at_once` rows at a time: enough blocks to fill a GPU
// with the rows of one latent frame.
inline int64_t row_shares(const RowShape& shape, int64_t at_once) {
  constexpr int64_t kWalks = 4, kMost = 65535;
  const int64_t wanted = (shape.rows_per_group + kWalks * at_once - 1) / (kWalks * at_once);
  return wanted < 1 ? 1 : (wanted > kMost ? kMost : wanted);
}

// One row of parameters per group, `stride` elements apart; 0: one row for all groups.
struct GroupRows {
  const void* data = nullptr;
  int64_t stride = 0;
  bool is_wide = true;  // float32, else the type of the rows
};

// Elements per 16-byte access. `channels` must be a multiple of it, and a row must fit one block of threads.
inline int64_t vector_width(FloatType type) { return type == FloatType::kBFloat16 ? 8 : 4; }
inline bool row_fits(int64_t channels, FloatType type) {
  return channels % vector_width(type) == 0 && channels / vector_width(type) <= 1024;
}

}  // namespace sgf::cuda
