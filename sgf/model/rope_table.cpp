#include "sgf/model/rope_table.h"

#include "sgf/core/error.h"
#include "sgf/kernels/wide.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace sgf {
namespace {

constexpr double kTheta = 10000.0;

// cos and sin of position * theta^(-2i / channels), [positions, channels / 2]: what one axis adds to a token's table.
struct AxisTurns {
  int64_t pairs;
  std::vector<double> cos, sin;

  AxisTurns(const std::vector<int64_t>& positions, int64_t channels) : pairs(channels / 2) {
    for (const int64_t position : positions)
      for (int64_t i = 0; i < pairs; ++i) {
        const double exponent = static_cast<double>(2 * i) / static_cast<double>(channels);
        const double angle = static_cast<double>(position) * (1.0 / std::pow(kTheta, exponent));
        cos.push_back(std::cos(angle));
        sin.push_back(std::sin(angle));
      }
  }

  // Appends the turns of the axis's n-th position.
  void append(int64_t n, double*& to_cos, double*& to_sin) const {
    to_cos = std::copy_n(cos.data() + n * pairs, pairs, to_cos);
    to_sin = std::copy_n(sin.data() + n * pairs, pairs, to_sin);
  }
};

std::vector<int64_t> first_numbers(int64_t count) {
  std::vector<int64_t> out(static_cast<size_t>(count));
  std::iota(out.begin(), out.end(), int64_t{0});
  return out;
}

}  // namespace

RopeTable rope_table(const std::vector<int64_t>& positions, const PatchGrid& grid, int64_t head_width,
                     const at::Tensor& like) {
  check(head_width >= 2 && head_width % 2 == 0, "model", "a head has an even width, got {}", head_width);
  const int64_t frames = static_cast<int64_t>(positions.size()), rows = grid.rows(), columns = grid.columns();
  const int64_t space = 2 * (head_width / 6);
  // An axis at a time: a table asks for few angles, but is written at every call.
  const AxisTurns time(positions, head_width - 2 * space), row(first_numbers(rows), space),
      column(first_numbers(columns), space);
  const at::Tensor cos = at::empty({frames * rows * columns, head_width / 2}, at::kDouble), sin = at::empty_like(cos);
  double *to_cos = cos.data_ptr<double>(), *to_sin = sin.data_ptr<double>();
  for (int64_t f = 0; f < frames; ++f)
    for (int64_t r = 0; r < rows; ++r)
      for (int64_t c = 0; c < columns; ++c) {
        time.append(f, to_cos, to_sin);
        row.append(r, to_cos, to_sin);
        column.append(c, to_cos, to_sin);
      }
  const auto options = like.options().dtype(wide_type(like.scalar_type())).requires_grad(false);
  return {cos.to(options), sin.to(options)};
}

}  // namespace sgf
