#include "sgf/kernels/rectangle_attention.h"

#include "sgf/core/error.h"
#include "sgf/kernels/key_parts.h"
#include "sgf/kernels/wide.h"

#include <ATen/ATen.h>
#include <torch/csrc/autograd/custom_function.h>

#include <limits>
#include <utility>

namespace sgf {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

// Heads are the third dim of [B, L, N, D] (and the last of an LSE [B, L, N]); the library needs them second.
at::Tensor heads_second(const at::Tensor& t) { return t.transpose(1, 2); }

// One side of a rectangle: gathers its rows from [B, L, ...] and splits results back into them.
struct Side {
  const std::vector<TokenRange>& ranges;
  int64_t repeat;

  // [B, n, ...], a view if there is one range; repeated tiles become batches [B * repeat, n, ...].
  at::Tensor gather(const at::Tensor& t) const {
    if (repeat > 1) return span(t).unflatten(1, {repeat, ranges[0].count}).flatten(0, 1);
    if (ranges.size() == 1) return span(t);
    std::vector<at::Tensor> parts;
    for (const TokenRange& range : ranges) parts.push_back(t.narrow(1, range.begin, range.count));
    return at::cat(parts, 1);
  }

  // Calls use(range of the sequence, its rows [B, count, ...]) for the result of `gather`.
  template <class Use>
  void scatter(const at::Tensor& rows, int64_t batch, Use use) const {
    const at::Tensor flat = repeat > 1 ? rows.unflatten(0, {batch, repeat}).flatten(1, 2) : rows;
    int64_t done = 0;
    for (const TokenRange& range : ranges) {
      const TokenRange whole{range.begin, range.count * repeat};
      use(whole, flat.narrow(1, done, whole.count));
      done += whole.count;
    }
  }

 private:
  at::Tensor span(const at::Tensor& t) const { return t.narrow(1, ranges[0].begin, ranges[0].count * repeat); }
};

Side queries_of(const Rectangle& rect) { return {rect.queries, rect.repeat}; }
Side keys_of(const Rectangle& rect) { return {rect.keys, rect.repeat}; }

// The softmax over the rectangles so far: `out` [B, L, N, D] in the inputs' dtype, `lse` [B, L, N] wide.
class RunningSoftmax {
 public:
  explicit RunningSoftmax(const at::Tensor& q)
      : out_(at::zeros(q.sizes(), q.options())),
        lse_(at::full(q.sizes().slice(0, 3), -std::numeric_limits<double>::infinity(),
                      q.options().dtype(wide_type(q.scalar_type())))),
        seen_(static_cast<size_t>(q.size(1)), false) {}

  void add(TokenRange range, const at::Tensor& out, const at::Tensor& lse) {
    at::Tensor out_rows = out_.narrow(1, range.begin, range.count), lse_rows = lse_.narrow(1, range.begin, range.count);
    if (!touch(range)) {
      out_rows.copy_(out);
      lse_rows.copy_(lse);
      return;
    }
    // Each part's share of the joint denominator.
    const at::Tensor joint = at::logaddexp(lse_rows, lse);
    const at::Tensor old_share = (lse_rows - joint).exp().unsqueeze(-1), share = (lse - joint).exp().unsqueeze(-1);
    out_rows.copy_(wide(out_rows) * old_share + wide(out) * share);
    lse_rows.copy_(joint);
  }

  const at::Tensor& out() const { return out_; }
  const at::Tensor& lse() const { return lse_; }

 private:
  // Whether an earlier rectangle covered these rows; if not, they are simply copied.
  bool touch(TokenRange range) {
    const bool before = seen_[static_cast<size_t>(range.begin)];
    for (int64_t i = range.begin; i < range.end(); ++i) {
      SGF_CHECK(seen_[static_cast<size_t>(i)] == before,
                "queries [{}, {}) are partly covered by an earlier rectangle; split them at token {}", range.begin,
                range.end(), i);
      seen_[static_cast<size_t>(i)] = true;
    }
    return before;
  }

  at::Tensor out_;
  at::Tensor lse_;
  std::vector<bool> seen_;
};

// One rectangle over everything: nothing to gather, merge or sum.
bool is_dense(const AttentionRegion& region) {
  return region.rectangles == AttentionRegion::dense(region.query_tokens, region.key_tokens).rectangles;
}

DenseAttention attend(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v, const AttentionRegion& region,
                      AttentionBackend backend) {
  if (is_dense(region)) {
    const DenseAttention all = dense_attention(heads_second(q), heads_second(k), heads_second(v), backend);
    return {heads_second(all.out), heads_second(all.lse)};
  }
  RunningSoftmax softmax(q);
  for (const Rectangle& rect : region.rectangles) {
    const Side keys = keys_of(rect), queries = queries_of(rect);
    const DenseAttention part = dense_attention(heads_second(queries.gather(q)), heads_second(keys.gather(k)),
                                                heads_second(keys.gather(v)), backend);
    std::vector<at::Tensor> lse;
    queries.scatter(heads_second(part.lse), q.size(0),
                    [&](TokenRange, const at::Tensor& rows) { lse.push_back(rows); });
    size_t at = 0;
    queries.scatter(heads_second(part.out), q.size(0),
                    [&](TokenRange range, const at::Tensor& rows) { softmax.add(range, rows, lse[at++]); });
  }
  return {softmax.out(), softmax.lse()};
}

at::Tensor attend_without_gradient(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v,
                                   const AttentionRegion& region, AttentionBackend backend) {
  const int64_t parts = is_dense(region) ? key_parts_for(q, k, backend) : 1;
  return parts > 1 ? attention_in_parts(q, k, v, backend, parts) : attend(q, k, v, region, backend).out;
}

// Sums of the rectangles' gradients, kept wide: a sink's keys receive one from every block.
struct GradientSums {
  at::Tensor q, k, v;

  explicit GradientSums(const DenseAttentionGrad& all)
      : q(heads_second(all.q)), k(heads_second(all.k)), v(heads_second(all.v)) {}

  GradientSums(const at::Tensor& q_like, const at::Tensor& k_like)
      : q(zeros_like_wide(q_like)), k(zeros_like_wide(k_like)), v(zeros_like_wide(k_like)) {}

  static at::Tensor zeros_like_wide(const at::Tensor& t) {
    return at::zeros(t.sizes(), t.options().dtype(wide_type(t.scalar_type())));
  }

  static void add(const at::Tensor& sum, const Side& side, const at::Tensor& part) {
    side.scatter(heads_second(part), sum.size(0),
                 [&](TokenRange range, const at::Tensor& rows) { sum.narrow(1, range.begin, range.count).add_(rows); });
  }
};

// `forward` is the merged output and log-sum-exp; with them the library's backward gives each part's exact share.
GradientSums attend_backward(const at::Tensor& grad_out, const at::Tensor& q, const at::Tensor& k, const at::Tensor& v,
                             const DenseAttention& forward, const AttentionRegion& region, AttentionBackend backend) {
  if (is_dense(region))
    return GradientSums(dense_attention_backward(heads_second(grad_out), heads_second(q), heads_second(k),
                                                 heads_second(v),
                                                 {heads_second(forward.out), heads_second(forward.lse)}, backend));
  GradientSums sums(q, k);
  for (const Rectangle& rect : region.rectangles) {
    const Side keys = keys_of(rect), queries = queries_of(rect);
    const auto query_rows = [&](const at::Tensor& t) { return heads_second(queries.gather(t)); };
    const DenseAttentionGrad part = dense_attention_backward(
        query_rows(grad_out), query_rows(q), heads_second(keys.gather(k)), heads_second(keys.gather(v)),
        {query_rows(forward.out), query_rows(forward.lse)}, backend);
    GradientSums::add(sums.q, queries, part.q);
    GradientSums::add(sums.k, keys, part.k);
    GradientSums::add(sums.v, keys, part.v);
  }
  return sums;
}

// Carries the region from the forward to the backward call.
struct RegionHolder : torch::CustomClassHolder {
  AttentionRegion region;
  AttentionBackend backend;
  RegionHolder(AttentionRegion r, AttentionBackend b) : region(std::move(r)), backend(b) {}
};

DenseAttention attend_once(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v, const RegionHolder& plan,
                           AttentionMemo* memo) {
  if (memo == nullptr) return attend(q, k, v, plan.region, plan.backend);
  if (const std::optional<DenseAttention> kept = memo->take()) return *kept;
  const DenseAttention result = attend(q, k, v, plan.region, plan.backend);
  memo->keep(result);
  return result;
}

struct RectangleAttention : torch::autograd::Function<RectangleAttention> {
  static at::Tensor forward(AutogradContext* ctx, const at::Tensor& q, const at::Tensor& k, const at::Tensor& v,
                            const c10::intrusive_ptr<RegionHolder>& plan, AttentionMemo* memo) {
    const DenseAttention result = attend_once(q, k, v, *plan, memo);
    ctx->save_for_backward({q, k, v, result.out, result.lse});
    ctx->saved_data["plan"] = c10::IValue::make_capsule(plan);
    return result.out;
  }

  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    const variable_list saved = ctx->get_saved_variables();
    const auto plan = c10::static_intrusive_pointer_cast<RegionHolder>(ctx->saved_data["plan"].toCapsule());
    const GradientSums sums = attend_backward(grads[0].contiguous(), saved[0], saved[1], saved[2], {saved[3], saved[4]},
                                              plan->region, plan->backend);
    const auto dtype = saved[0].scalar_type();
    return {sums.q.to(dtype), sums.k.to(dtype), sums.v.to(dtype), at::Tensor(), at::Tensor()};
  }
};

void check_shapes(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v, const AttentionRegion& region) {
  SGF_CHECK(q.dim() == 4 && k.dim() == 4 && v.sizes() == k.sizes() && q.size(0) == k.size(0) &&
                q.size(2) == k.size(2) && q.size(3) == k.size(3),
            "attention expects q [B, Lq, N, D] and k, v [B, Lk, N, D]; got {}-d q and {}-d k", q.dim(), k.dim());
  SGF_CHECK(q.size(1) == region.query_tokens && k.size(1) == region.key_tokens,
            "the attention region has {} queries and {} keys, but the tensors have {} and {}", region.query_tokens,
            region.key_tokens, q.size(1), k.size(1));
}

}  // namespace

at::Tensor rectangle_attention(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v,
                               const AttentionRegion& region, AttentionBackend backend, AttentionMemo* memo) {
  check_shapes(q, k, v, region);
  region.validate();
  if (memo == nullptr && !(at::GradMode::is_enabled() && (q.requires_grad() || k.requires_grad() || v.requires_grad())))
    return attend_without_gradient(q, k, v, region, resolve_backend(backend, q));
  const auto plan = c10::make_intrusive<RegionHolder>(region, resolve_backend(backend, q));
  return RectangleAttention::apply(q, k, v, plan, memo);
}

std::optional<DenseAttention> AttentionMemo::take() {
  std::optional<DenseAttention> taken;
  taken.swap(kept_);
  return taken;
}

at::Tensor masked_attention_reference(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v,
                                      const at::Tensor& visible) {
  const double scale = 1.0 / std::sqrt(static_cast<double>(q.size(-1)));
  const at::Tensor scores = at::matmul(wide(heads_second(q)), wide(heads_second(k)).transpose(-1, -2)) * scale;
  const at::Tensor hidden = scores.masked_fill(visible.logical_not(), -std::numeric_limits<double>::infinity());
  const at::Tensor out = at::matmul(hidden.softmax(-1), wide(heads_second(v)));
  return heads_second(out).to(q.scalar_type());
}

at::Tensor dense_mask(const AttentionRegion& region) {
  at::Tensor mask = at::zeros({region.query_tokens, region.key_tokens}, at::kBool);
  for (const Rectangle& rect : region.rectangles)
    for (int64_t i = 0; i < rect.repeat; ++i)
      for (const TokenRange& q : rect.queries)
        for (const TokenRange& k : rect.keys)
          mask.narrow(0, q.begin + i * q.count, q.count).narrow(1, k.begin + i * k.count, k.count).fill_(true);
  return mask;
}

}  // namespace sgf
