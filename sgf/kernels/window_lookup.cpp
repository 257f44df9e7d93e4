#include "sgf/kernels/window_lookup.h"

#include "sgf/core/error.h"
#include "sgf/kernels/cpu/row_threads.h"
#include "sgf/kernels/cpu/window_lookup.h"

#include <ATen/ATen.h>

#include <cmath>

namespace sgf {
namespace {

constexpr int64_t kSamplesBilinear = 0, kSamplesZeros = 0;  // in at::grid_sampler's numbering

double level_scale(size_t level) { return std::exp2(-static_cast<double>(level)); }

// Offsets [n, n, 2] of a window as (dx, dy); the first index moves in x.
at::Tensor window_offsets(int64_t radius, at::TensorOptions options) {
  const at::Tensor line = at::arange(-radius, radius + 1, options);
  const std::vector<at::Tensor> xy = at::meshgrid({line, line}, "ij");
  return at::stack({xy[0], xy[1]}, -1);
}

// grid_sampler's coordinates run from -1 to 1.
at::Tensor to_sampler(const at::Tensor& places, const at::Tensor& level) {
  const double height = static_cast<double>(level.size(1)), width = static_cast<double>(level.size(2));
  const at::Tensor scale = at::tensor({2 / (width - 1), 2 / (height - 1)}, at::kDouble).to(places.options());
  return places * scale - 1;
}

template <class T>
at::Tensor window_lookup_on_cpu(const std::vector<at::Tensor>& levels, const at::Tensor& places_in, int64_t radius) {
  const at::Tensor places = places_in.contiguous();
  const int64_t window = (2 * radius + 1) * (2 * radius + 1), stride = window * static_cast<int64_t>(levels.size());
  const at::Tensor out = at::empty({places.size(0), stride}, places.options());
  for (size_t i = 0; i < levels.size(); ++i) {
    const at::Tensor planes = levels[i].contiguous();
    const cpu::WindowLookup<T> io{.planes = planes.const_data_ptr<T>(),
                                  .height = planes.size(1),
                                  .width = planes.size(2),
                                  .places = places.const_data_ptr<T>(),
                                  .scale = static_cast<T>(level_scale(i)),
                                  .radius = radius,
                                  .out = out.data_ptr<T>() + static_cast<int64_t>(i) * window,
                                  .out_stride = stride};
    over_rows(places.size(0), 4 * window, [&](cpu::RowRange rows) { cpu::window_lookup(io, rows); });
  }
  return out;
}

void check_window_lookup(const std::vector<at::Tensor>& levels, const at::Tensor& places) {
  SGF_CHECK(places.dim() == 2 && places.size(1) == 2, "window_lookup expects places [P, 2]");
  for (const at::Tensor& level : levels)
    SGF_CHECK(level.dim() == 3 && level.size(0) == places.size(0) && level.size(1) > 1 && level.size(2) > 1 &&
                  level.scalar_type() == places.scalar_type(),
              "window_lookup expects levels [P, h, w] with the dtype of the places and more than one pixel per side");
}

}  // namespace

at::Tensor window_lookup_reference(const std::vector<at::Tensor>& levels, const at::Tensor& places, int64_t radius) {
  check_window_lookup(levels, places);
  const at::Tensor offsets = window_offsets(radius, places.options());
  std::vector<at::Tensor> windows;
  for (size_t i = 0; i < levels.size(); ++i) {
    const at::Tensor seen = places.view({-1, 1, 1, 2}) * level_scale(i) + offsets;
    windows.push_back(at::grid_sampler(levels[i].unsqueeze(1), to_sampler(seen, levels[i]), kSamplesBilinear,
                                       kSamplesZeros, /*align_corners=*/true)
                          .flatten(1));
  }
  return at::cat(windows, 1);
}

at::Tensor window_lookup(const std::vector<at::Tensor>& levels, const at::Tensor& places, int64_t radius) {
  if (!takes_cpu_rows(places) || radius > cpu::kLargestWindowRadius)
    return window_lookup_reference(levels, places, radius);
  check_window_lookup(levels, places);
  return places.scalar_type() == at::kFloat ? window_lookup_on_cpu<float>(levels, places, radius)
                                            : window_lookup_on_cpu<double>(levels, places, radius);
}

}  // namespace sgf
