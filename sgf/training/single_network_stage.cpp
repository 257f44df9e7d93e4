#include "sgf/training/single_network_stage.h"

#include <ATen/ATen.h>

#include <utility>

namespace sgf {

SingleNetworkStage::SingleNetworkStage(SingleNetworkSettings settings, TrainedDit network, const Ranks& ranks)
    : settings_(std::move(settings)),
      learner_("generator", settings_.generator, std::move(network)),
      ranks_(&ranks),
      ema_(settings_.ema_decay, settings_.ema_start_step, learner_.masters()) {
  settings_.batch.validate(ranks);
}

StepReport SingleNetworkStage::step(int64_t step) {
  StepReport report;
  UpdateSum sum;
  prepare_step();
  for (const MicroBatch& part : settings_.batch.parts(*ranks_)) {
    ranks_->check_alive();
    const UpdatePart one = queue(step, part);
    sum.add(one.gradients, part.share);
    sum.add("generator_loss", one.loss.item<double>(), part.share);
  }
  sum.combine(*ranks_);
  report.metrics = sum.means();
  ema_.enter(step);
  if (learner_.update(sum.gradients(), report.metrics["generator_loss"], step, report)) ema_.update();
  return report;
}

UpdatePart SingleNetworkStage::queue(int64_t step, const MicroBatch& part) {
  const std::vector<MicroBatch> parts = settings_.batch.parts(*ranks_);
  const bool is_first = part.first == parts.front().first;
  const bool is_ready = is_first && ahead_ && ahead_->step == step;
  const std::vector<at::Tensor> in = is_ready ? std::exchange(ahead_, {})->inputs : input_tensors(step, part);
  if (!settings_.record_launches || in.front().is_cpu()) return compute(in);
  const TensorWork work = [this](const std::vector<at::Tensor>& tensors) { return compute(tensors).tensors(); };
  UpdatePart out = UpdatePart::of(recorded_.run(0, work, in));
  if (part.first == parts.back().first) ahead_ = {step + 1, input_tensors(step + 1, parts.front())};
  return out;
}

UpdatePart SingleNetworkStage::compute(const std::vector<at::Tensor>& in) const {
  const at::Tensor one = loss_of_tensors(in);
  return {one.detach(), at::zeros_like(one, at::kDouble).detach(), learner_.gradients(one)};
}

StageState SingleNetworkStage::state() const {
  StageState state;
  learner_.save(state);
  ema_.save(state);
  return state;
}

void SingleNetworkStage::restore(const StageState& state) {
  learner_.restore(state);
  ema_.restore(state);
}

}  // namespace sgf
