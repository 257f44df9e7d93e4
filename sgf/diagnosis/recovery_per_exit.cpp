#include "sgf/diagnosis/recovery_per_exit.h"

#include "sgf/reconstruction/reconstruct.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include <algorithm>

namespace sgf {
namespace {

ExitRecovery recover(const CausalDit& dit, const PromptText& text, const ExitRecord& record) {
  ExitRecovery one{.timestep = record.t[0].item<double>(), .noises = 1};
  one.report = recovery(reconstruct(dit, text, record, GradientBoundary::kOpenContext), record.prediction);
  const at::Tensor flow = record.noisy - record.prediction;
  one.flow_relative_l2 = one.report.relative_l2 * (record.prediction.norm() / flow.norm()).item<double>();
  return one;
}

SavedRecord on_device_of(const CausalDit& dit, const SavedRecord& saved) {
  const c10::Device device = dit.weights().head.weight.device();
  SavedRecord out = saved;
  for (at::Tensor* tensor : {&out.record.t, &out.record.noisy, &out.record.prediction, &out.record.context, &out.text})
    *tensor = tensor->to(device);
  if (out.record.first_t.defined()) out.record.first_t = out.record.first_t.to(device);
  return out;
}

}  // namespace

ExitRecovery measure_recovery(const RecoverySettings& setting, int64_t exit) {
  const at::NoGradGuard no_grad;
  ExitRecovery mean{.exit = exit, .noises = setting.noises};
  const double share = 1.0 / static_cast<double>(setting.noises);
  for (int64_t number = 0; number < setting.noises; ++number) {
    const at::Tensor rows = setting.text(number);
    const PromptText text = setting.dit.prepare(rows);
    const ExitRecord record = roll_out(setting.dit, text, setting.rollout, exit, setting.noise(number));
    if (setting.on_record) setting.on_record(exit, number, {record, rows});
    const ExitRecovery one = recover(setting.dit, text, record);
    mean.timestep = one.timestep;
    mean.flow_relative_l2 += one.flow_relative_l2 * share;
    mean.report.relative_l2 += one.report.relative_l2 * share;
    mean.report.cosine += one.report.cosine * share;
    mean.report.max_abs = std::max(mean.report.max_abs, one.report.max_abs);
  }
  return mean;
}

ExitRecovery replay_recovery(const CausalDit& dit, const SavedRecord& saved) {
  const at::NoGradGuard no_grad;
  const SavedRecord here = on_device_of(dit, saved);
  return recover(dit, dit.prepare(here.text), here.record);
}

}  // namespace sgf
