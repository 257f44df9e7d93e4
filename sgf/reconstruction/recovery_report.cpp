#include "sgf/reconstruction/recovery_report.h"

#include "sgf/core/error.h"

#include <ATen/ATen.h>

#include <cmath>

namespace sgf {

RecoveryReport worse_of(const RecoveryReport& a, const RecoveryReport& b) {
  // Written so that NaN counts as the worst value.
  return {.relative_l2 = a.relative_l2 >= b.relative_l2 || std::isnan(a.relative_l2) ? a.relative_l2 : b.relative_l2,
          .cosine = a.cosine <= b.cosine || std::isnan(a.cosine) ? a.cosine : b.cosine,
          .max_abs = a.max_abs >= b.max_abs || std::isnan(a.max_abs) ? a.max_abs : b.max_abs};
}

at::Tensor recovery_numbers(const at::Tensor& reconstructed, const at::Tensor& recorded) {
  SGF_CHECK(reconstructed.sizes() == recorded.sizes(),
            "recovery compares latents of the same shape, got {} and {} elements", reconstructed.numel(),
            recorded.numel());
  const at::Tensor ours = reconstructed.detach().to(at::kDouble), theirs = recorded.to(at::kDouble);
  const at::Tensor difference = ours - theirs;
  const at::Tensor norm = theirs.norm();
  return at::stack({difference.norm() / norm, (ours * theirs).sum() / (norm * ours.norm()), difference.abs().max()});
}

RecoveryReport recovery_of(const at::Tensor& numbers) {
  const at::Tensor read = numbers.to(at::kCPU);
  return {.relative_l2 = read[0].item<double>(), .cosine = read[1].item<double>(), .max_abs = read[2].item<double>()};
}

RecoveryReport recovery(const at::Tensor& reconstructed, const at::Tensor& recorded) {
  return recovery_of(recovery_numbers(reconstructed, recorded));
}

}  // namespace sgf
