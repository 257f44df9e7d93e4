#include "sgf/model/rope_table.h"

#include "sgf/core/error.h"
#include "sgf/kernels/wide.h"

#include <ATen/ATen.h>

#include <cmath>
#include <map>
#include <mutex>
#include <numeric>
#include <tuple>

namespace sgf {
namespace {

constexpr double kTheta = 10000.0;
constexpr size_t kKeptBytes = size_t{256} << 20;  // 480p: a growing window of 21 frames takes 186 MB

// cos and sin of position * theta^(-2i / channels), each [positions, channels / 2]: the part of one axis in a token's
// table. Angles are computed here in float64; the table itself is written on the device that uses it.
struct AxisTurns {
  at::Tensor cos, sin;

  AxisTurns(const std::vector<int64_t>& positions, int64_t channels, const at::TensorOptions& options) {
    const auto count = static_cast<int64_t>(positions.size()), pairs = channels / 2;
    at::Tensor turns = at::empty({2, count, pairs}, at::TensorOptions(at::kDouble).pinned_memory(is_gpu(options)));
    double *to_cos = turns.data_ptr<double>(), *to_sin = to_cos + count * pairs;
    for (const int64_t position : positions)
      for (int64_t i = 0; i < pairs; ++i) {
        const double exponent = static_cast<double>(2 * i) / static_cast<double>(channels);
        const double angle = static_cast<double>(position) * (1.0 / std::pow(kTheta, exponent));
        *to_cos++ = std::cos(angle);
        *to_sin++ = std::sin(angle);
      }
    // Pinned memory and an asynchronous copy: waiting for the device here would leave it idle.
    turns = turns.to(options.device(), /*non_blocking=*/true).to(options);
    cos = turns[0];
    sin = turns[1];
  }

 private:
  static bool is_gpu(const at::TensorOptions& options) { return !options.device().is_cpu(); }
};

std::vector<int64_t> first_numbers(int64_t count) {
  std::vector<int64_t> out(static_cast<size_t>(count));
  std::iota(out.begin(), out.end(), int64_t{0});
  return out;
}

}  // namespace

RopeTable rope_table(const std::vector<int64_t>& positions, const PatchGrid& grid, int64_t head_width,
                     const at::Tensor& like) {
  SGF_CHECK(head_width >= 2 && head_width % 2 == 0, "the head width must be even and at least 2, got {}", head_width);
  const int64_t frames = static_cast<int64_t>(positions.size()), rows = grid.rows(), columns = grid.columns();
  const int64_t space = 2 * (head_width / 6);
  const auto options = like.options().dtype(wide_type(like.scalar_type())).requires_grad(false);
  const AxisTurns time(positions, head_width - 2 * space, options), row(first_numbers(rows), space, options),
      column(first_numbers(columns), space, options);
  const auto table = [&](const at::Tensor& f, const at::Tensor& r, const at::Tensor& c) {
    return at::cat({f.view({frames, 1, 1, -1}).expand({frames, rows, columns, -1}),
                    r.view({1, rows, 1, -1}).expand({frames, rows, columns, -1}),
                    c.view({1, 1, columns, -1}).expand({frames, rows, columns, -1})},
                   -1)
        .flatten(0, 2);
  };
  return {table(time.cos, row.cos, column.cos), table(time.sin, row.sin, column.sin)};
}

struct RopeTables::Kept {
  // Positions, rows, columns, width; dtype and device are those of the network.
  using Key = std::tuple<std::vector<int64_t>, int64_t, int64_t, int64_t>;
  std::mutex mutex;
  std::map<Key, RopeTable> tables;
  size_t bytes = 0;
};

RopeTables::RopeTables() : kept_(std::make_shared<Kept>()) {}

RopeTable RopeTables::of(const std::vector<int64_t>& positions, const PatchGrid& grid, int64_t head_width,
                         const at::Tensor& like) const {
  const Kept::Key key{positions, grid.rows(), grid.columns(), head_width};
  const std::lock_guard lock(kept_->mutex);
  if (const auto found = kept_->tables.find(key); found != kept_->tables.end()) return found->second;
  const RopeTable table = rope_table(positions, grid, head_width, like);
  const size_t bytes = table.cos.nbytes() + table.sin.nbytes();
  if (kept_->bytes + bytes > kKeptBytes) return table;
  kept_->bytes += bytes;
  kept_->tables.emplace(key, table);
  return table;
}

bool RopeTables::keeps(const std::vector<int64_t>& positions, const PatchGrid& grid, int64_t head_width) const {
  const std::lock_guard lock(kept_->mutex);
  return kept_->tables.contains({positions, grid.rows(), grid.columns(), head_width});
}

}  // namespace sgf
