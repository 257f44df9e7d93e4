#include "sgf/kernels/cpu/window_lookup.h"

#include <algorithm>
#include <cmath>

namespace sgf::cpu {
namespace {

constexpr int64_t kLargestSide = 2 * kLargestWindowRadius + 2;

// All positions of a window are whole pixels apart, so one pair of weights per axis serves the whole window.
template <class T>
struct WindowCorner {
  int64_t x, y;    // of the first pixel read
  T right, below;  // weights of the second pixel
};

// Beyond this everything is zero; a NaN position counts as outside.
template <class T>
bool is_near(T place, int64_t side, int64_t radius) {
  return place > static_cast<T>(-radius - 1) && place < static_cast<T>(side + radius);
}

template <class T>
WindowCorner<T> corner_of(T x, T y, int64_t radius) {
  const T left = std::floor(x), top = std::floor(y);
  return {static_cast<int64_t>(left) - radius, static_cast<int64_t>(top) - radius, x - left, y - top};
}

// Row `y` of the pixels that a window reads, zeros outside.
template <class T>
void read_row(const WindowLookup<T>& io, const T* plane, const WindowCorner<T>& corner, int64_t y, T* row) {
  const int64_t side = 2 * io.radius + 2;
  const bool is_inside = y >= 0 && y < io.height;
  const int64_t begin = std::clamp<int64_t>(-corner.x, 0, side);
  const int64_t end = is_inside ? std::clamp<int64_t>(io.width - corner.x, begin, side) : begin;
  std::fill(row, row + begin, T(0));
  if (is_inside) std::copy(plane + y * io.width + corner.x + begin, plane + y * io.width + corner.x + end, row + begin);
  std::fill(row + end, row + side, T(0));
}

template <class T>
void window_at(const WindowLookup<T>& io, const T* plane, const WindowCorner<T>& corner, T* out) {
  const int64_t n = 2 * io.radius + 1;
  T row[kLargestSide], mixed[2][kLargestSide];
  for (int64_t j = 0; j <= n; ++j) {
    read_row(io, plane, corner, corner.y + j, row);
    T *now = mixed[j % 2], *before = mixed[(j + 1) % 2];
    for (int64_t i = 0; i < n; ++i) now[i] = row[i] + (row[i + 1] - row[i]) * corner.right;
    if (j == 0) continue;
    for (int64_t i = 0; i < n; ++i) out[i * n + j - 1] = before[i] + (now[i] - before[i]) * corner.below;
  }
}

template <class T>
void windows_of(const WindowLookup<T>& io, RowRange rows) {
  const int64_t n = 2 * io.radius + 1;
  for (int64_t p = rows.begin; p < rows.end; ++p) {
    const T x = io.places[2 * p] * io.scale, y = io.places[2 * p + 1] * io.scale;
    T* out = io.out + p * io.out_stride;
    if (is_near(x, io.width, io.radius) && is_near(y, io.height, io.radius))
      window_at(io, io.planes + p * io.height * io.width, corner_of(x, y, io.radius), out);
    else
      std::fill(out, out + n * n, T(0));
  }
}

}  // namespace

void window_lookup(const WindowLookup<float>& io, RowRange rows) { windows_of(io, rows); }
void window_lookup(const WindowLookup<double>& io, RowRange rows) { windows_of(io, rows); }

}  // namespace sgf::cpu
