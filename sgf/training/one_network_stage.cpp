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
    const at::Tensor one = loss(step, part);
    sum.add(generator_.gradients(one), part.share);
    sum.add("generator_loss", one.item<double>(), part.share);
  }
  sum.combine(*ranks_);
  report.metrics = sum.means();
  if (generator_.update(sum.gradients(), report.metrics["generator_loss"], step, report)) ema_.update(step);
  return report;
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
