#include "sgf/model/rope_table.h"

#include "sgf/core/error.h"
#include "sgf/kernels/wide.h"

#include <ATen/ATen.h>

namespace sgf {
namespace {

constexpr double kTheta = 10000.0;

// position * theta^(-2i / channels), [positions, channels / 2].
at::Tensor angles(const at::Tensor& positions, int64_t channels) {
  const at::Tensor exponent = at::arange(0, channels, 2, at::kDouble) / static_cast<double>(channels);
  return at::outer(positions, at::pow(kTheta, exponent).reciprocal());
}

}  // namespace

RopeTable rope_table(const std::vector<int64_t>& positions, const PatchGrid& grid, int64_t head_width,
                     const at::Tensor& like) {
  check(head_width >= 2 && head_width % 2 == 0, "model", "a head has an even width, got {}", head_width);
  const int64_t frames = static_cast<int64_t>(positions.size()), rows = grid.rows(), columns = grid.columns();
  const int64_t space = 2 * (head_width / 6);
  const at::Tensor time = angles(at::tensor(positions, at::kLong).to(at::kDouble), head_width - 2 * space);
  const at::Tensor row = angles(at::arange(rows, at::kDouble), space);
  const at::Tensor column = angles(at::arange(columns, at::kDouble), space);
  const at::Tensor all = at::cat({time.view({frames, 1, 1, -1}).expand({frames, rows, columns, -1}),
                                  row.view({1, rows, 1, -1}).expand({frames, rows, columns, -1}),
                                  column.view({1, 1, columns, -1}).expand({frames, rows, columns, -1})},
                                 -1)
                             .flatten(0, 2);
  const auto options = like.options().dtype(wide_type(like.scalar_type()));
  return {all.cos().to(options), all.sin().to(options)};
}

}  // namespace sgf
