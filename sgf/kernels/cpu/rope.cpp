#include "sgf/kernels/cpu/rope.h"

namespace sgf::cpu {
namespace {

template <class T>
SGF_BODY void turn(const Rotation<T>& io, RowRange rows) {
  const int64_t half = io.width / 2;
  const T sign = io.backwards ? T(-1) : T(1);
  for (int64_t row = rows.begin; row < rows.end; ++row) {
    const T *cos = io.cos + row % io.tokens * half, *sin = io.sin + row % io.tokens * half;
    for (int64_t head = 0; head < io.heads; ++head) {
      const T* x = io.x + (row * io.heads + head) * io.width;
      T* out = io.out + (row * io.heads + head) * io.width;
#pragma omp simd
      for (int64_t i = 0; i < half; ++i) {
        const T re = x[2 * i], im = x[2 * i + 1], s = sign * sin[i];
        out[2 * i] = re * cos[i] - im * s;
        out[2 * i + 1] = re * s + im * cos[i];
      }
    }
  }
}

}  // namespace

SGF_EVERY_X86 void rotate(const Rotation<float>& io, RowRange rows) { turn(io, rows); }
SGF_EVERY_X86 void rotate(const Rotation<double>& io, RowRange rows) { turn(io, rows); }

}  // namespace sgf::cpu
