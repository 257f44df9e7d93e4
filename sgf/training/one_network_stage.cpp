#include "sgf/training/one_network_stage.h"

#include <ATen/ATen.h>

#include <utility>

namespace sgf {

OneNetworkStage::OneNetworkStage(OneNetworkSettings settings, TrainedDit network, const Ranks& ranks)
    : settings_(std::move(settings)),
      generator_("generator", settings_.generator, std::move(network)),
      ranks_(&ranks),
      ema_(settings_.ema_decay, settings_.ema_start_step, generator_.masters()) {
  settings_.batch.validate(ranks);
}

StepReport OneNetworkStage::step(int64_t step) {
  StepReport report;
  UpdateSum sum;
  prepare_step();
  for (const MicroBatch& part : settings_.batch.parts(*ranks_)) {
    ranks_->check_alive();
    const TensorWork work = [this](const std::vector<at::Tensor>& in) { return loss_and_gradients(in); };
    const std::vector<at::Tensor> in = inputs(step, part);
    const std::vector<at::Tensor> out = settings_.record_launches ? recorded_.run(work, in) : work(in);
    sum.add({out.begin() + 1, out.end()}, part.share);
    sum.add("generator_loss", out.front().item<double>(), part.share);
  }
  sum.combine(*ranks_);
  report.metrics = sum.means();
  if (generator_.update(sum.gradients(), report.metrics["generator_loss"], step, report)) ema_.update(step);
  return report;
}

std::vector<at::Tensor> OneNetworkStage::loss_and_gradients(const std::vector<at::Tensor>& in) const {
  const at::Tensor one = loss(in);
  std::vector<at::Tensor> out{one.detach()};
  for (at::Tensor& gradient : generator_.gradients(one)) out.push_back(std::move(gradient));
  return out;
}

StageState OneNetworkStage::state() const {
  StageState state;
  generator_.save(state);
  if (ema_.has_started()) state.networks["ema"] = ema_.average();
  return state;
}

void OneNetworkStage::restore(const StageState& state) {
  generator_.restore(state);
  const auto average = state.networks.find("ema");
  ema_.restore(average == state.networks.end() ? NamedTensors{} : average->second);
}

}  // namespace sgf
