#include "sgf/training/single_network_stage.h"

#include <ATen/ATen.h>

#include <utility>

namespace sgf {

SingleNetworkStage::SingleNetworkStage(SingleNetworkSettings settings, TrainedDit network, const Ranks& ranks)
    : settings_(std::move(settings)),
      generator_("generator", settings_.generator, std::move(network)),
      ranks_(&ranks),
      ema_(settings_.ema_decay, settings_.ema_start_step, generator_.masters()) {
  settings_.batch.validate(ranks);
}

StepReport SingleNetworkStage::step(int64_t step) {
  StepReport report;
  UpdateSum sum;
  prepare_step();
  for (const MicroBatch& part : settings_.batch.parts(*ranks_)) {
    ranks_->check_alive();
    const std::vector<at::Tensor> out = queue(step, part);
    sum.add({out.begin() + 1, out.end()}, part.share);
    sum.add("generator_loss", out.front().item<double>(), part.share);
  }
  sum.combine(*ranks_);
  report.metrics = sum.means();
  if (generator_.update(sum.gradients(), report.metrics["generator_loss"], step, report)) ema_.update(step);
  return report;
}

std::vector<at::Tensor> SingleNetworkStage::queue(int64_t step, const MicroBatch& part) {
  const std::vector<MicroBatch> parts = settings_.batch.parts(*ranks_);
  const bool is_first = part.first == parts.front().first;
  const bool is_ready = is_first && ahead_ && ahead_->step == step;
  const std::vector<at::Tensor> in = is_ready ? std::exchange(ahead_, {})->inputs : inputs(step, part);
  if (!settings_.record_launches || in.front().is_cpu()) return loss_and_gradients(in);
  const TensorWork work = [this](const std::vector<at::Tensor>& tensors) { return loss_and_gradients(tensors); };
  std::vector<at::Tensor> out = recorded_.run(0, work, in);
  if (part.first == parts.back().first) ahead_ = {step + 1, inputs(step + 1, parts.front())};
  return out;
}

std::vector<at::Tensor> SingleNetworkStage::loss_and_gradients(const std::vector<at::Tensor>& in) const {
  const at::Tensor one = loss(in);
  std::vector<at::Tensor> out{one.detach()};
  for (at::Tensor& gradient : generator_.gradients(one)) out.push_back(std::move(gradient));
  return out;
}

StageState SingleNetworkStage::state() const {
  StageState state;
  generator_.save(state);
  if (ema_.has_started()) state.networks["ema"] = ema_.average();
  return state;
}

void SingleNetworkStage::restore(const StageState& state) {
  generator_.restore(state);
  const auto average = state.networks.find("ema");
  ema_.restore(average == state.networks.end() ? NamedTensors{} : average->second);
}

}  // namespace sgf
