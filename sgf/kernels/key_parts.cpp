#include "sgf/kernels/key_parts.h"

#include "sgf/core/error.h"
#include "sgf/kernels/cuda/key_parts.h"
#include "sgf/kernels/cuda/row_launch.h"
#include "sgf/kernels/wide.h"

#include <ATen/ATen.h>

namespace sgf {
namespace {

constexpr int64_t kMostParts = 6;
constexpr int64_t kFewestKeys = 2048;  // per part: with fewer the library kernel loses more than the split gains
constexpr int64_t kQueryTile = 128;    // query rows per thread block in the library kernel
constexpr double kCostOfAPart = 0.01;  // cost of joining one part, relative to all the work
constexpr double kWorthwhile = 0.97;   // relative to the cost without parts

int64_t rounded_up(int64_t n, int64_t by) { return (n + by - 1) / by; }

// [B, L, N, D] as [B * parts, L / parts, N, D], a view.
at::Tensor as_batches(const at::Tensor& t, int64_t parts) {
  return t.contiguous().view({t.size(0) * parts, t.size(1) / parts, t.size(2), t.size(3)});
}

}  // namespace

// With n query tiles per head, P parts take ceil(P n / processors) rounds, each over 1/P of the keys.
int64_t key_parts(int64_t batch_heads, int64_t queries, int64_t keys, int64_t processors) {
  const int64_t tiles = batch_heads * rounded_up(queries, kQueryTile);
  int64_t best = 1;
  const auto whole = static_cast<double>(rounded_up(tiles, processors));
  double best_cost = whole;
  for (int64_t parts = 2; parts <= kMostParts && keys / parts >= kFewestKeys; ++parts) {
    if (keys % parts != 0) continue;
    const double rounds = static_cast<double>(rounded_up(parts * tiles, processors));
    const double cost = rounds / static_cast<double>(parts) * (1 + kCostOfAPart * static_cast<double>(parts));
    if (cost < best_cost && cost < kWorthwhile * whole) best_cost = cost, best = parts;
  }
  return best;
}

int64_t key_parts_for(const at::Tensor& q, const at::Tensor& k, AttentionBackend backend) {
  if (!q.is_cuda() || resolve_backend(backend, q) != AttentionBackend::kCudnn) return 1;
  return key_parts(q.size(0) * q.size(2), q.size(1), k.size(1), cuda::processor_count(q.device().index()));
}

at::Tensor attention_in_parts(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v, AttentionBackend backend,
                              int64_t parts) {
  SGF_CHECK(parts >= 1 && k.size(1) % parts == 0, "{} keys do not divide into {} equal parts", k.size(1), parts);
  const int64_t batch = q.size(0);
  const at::Tensor queries = q.unsqueeze(1).expand({-1, parts, -1, -1, -1}).flatten(0, 1);
  const DenseAttention part = dense_attention(queries.transpose(1, 2), as_batches(k, parts).transpose(1, 2),
                                              as_batches(v, parts).transpose(1, 2), backend);
  return join_parts(part.out.transpose(1, 2).unflatten(0, {batch, parts}), part.lse.unflatten(0, {batch, parts}));
}

at::Tensor join_parts_reference(const at::Tensor& out, const at::Tensor& lse) {
  const at::Tensor share = wide(lse).softmax(1).transpose(2, 3).unsqueeze(-1);  // [B, P, Lq, N, 1]
  return (wide(out) * share).sum(1).to(out.scalar_type());
}

at::Tensor join_parts(const at::Tensor& out_in, const at::Tensor& lse_in) {
  SGF_CHECK(out_in.dim() == 5 && lse_in.dim() == 4 && lse_in.size(1) == out_in.size(1) &&
                lse_in.size(2) == out_in.size(3) && lse_in.size(3) == out_in.size(2),
            "join_parts expects out [B, P, Lq, N, D] and lse [B, P, N, Lq]");
  if (!takes_row_kernel(out_in, out_in.size(4)) || lse_in.scalar_type() != at::kFloat)
    return join_parts_reference(out_in, lse_in);
  const at::Tensor out = out_in.contiguous(), lse = lse_in.contiguous();
  const at::Tensor joined = at::empty({out.size(0), out.size(2), out.size(3), out.size(4)}, out.options());
  const c10::DeviceGuard guard(out.device());
  const char* refusal = cuda::join_parts({out.data_ptr(), lse.data_ptr<float>(), joined.data_ptr(), out.size(0),
                                          out.size(1), out.size(2), out.size(3), out.size(4)},
                                         float_type(out), static_cast<cudaStream_t>(current_stream(out.device())));
  SGF_CHECK(refusal == nullptr, "join_parts failed to launch: {}", refusal);
  return joined;
}

}  // namespace sgf
