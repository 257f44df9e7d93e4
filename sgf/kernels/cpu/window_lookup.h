// The CPU kernel of window_lookup, float32 and float64. Torch-free.
#pragma once

#include "sgf/kernels/cpu/row.h"

namespace sgf::cpu {

constexpr int64_t kLargestWindowRadius = 7;

// One level: one window of every plane.
template <class T>
struct WindowLookup {
  const T* planes;  // [P, height, width]
  int64_t height, width;
  const T* places;  // [P, 2]
  T scale;          // of places
  int64_t radius;
  T* out;  // window p begins at out + p * out_stride
  int64_t out_stride;
};

void window_lookup(const WindowLookup<float>& io, RowRange rows);
void window_lookup(const WindowLookup<double>& io, RowRange rows);

}  // namespace sgf::cpu
