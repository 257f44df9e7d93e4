#include "sgf/training/dmd_stage.h"

#include "sgf/core/error.h"
#include "sgf/kernels/wide.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include <algorithm>
#include <utility>

namespace sgf {
namespace {

// Adds `part` of a batch to the sums, weighted by its share of the samples.
void accumulate(std::vector<at::Tensor>& sums, const std::vector<at::Tensor>& part, double share) {
  if (sums.empty())
    for (const at::Tensor& gradient : part) sums.push_back(gradient * share);
  else
    for (size_t i = 0; i < sums.size(); ++i) sums[i].add_(part[i], share);
}

// Calls run(first, count, share of the global batch) for every micro-batch of this rank.
template <class Run>
void for_each_micro_batch(const DmdStageSettings& settings, const Ranks& ranks, Run run) {
  const SampleShare mine = ranks.share_of(settings.global_batch);
  for (int64_t first = mine.first; first < mine.end(); first += settings.micro_batch) {
    ranks.check_alive();
    const int64_t count = std::min(settings.micro_batch, mine.end() - first);
    run(first, count, static_cast<double>(count) / static_cast<double>(settings.global_batch));
  }
}

void add_prefixed(NamedTensors& out, const std::string& prefix, const NamedTensors& tensors) {
  for (const auto& [name, tensor] : tensors) out.emplace_back(prefix + name, tensor);
}

NamedTensors with_prefix(const NamedTensors& state, const std::string& prefix) {
  NamedTensors out;
  for (const auto& [name, tensor] : state)
    if (name.starts_with(prefix)) out.emplace_back(name.substr(prefix.size()), tensor);
  return out;
}

void copy_into(const NamedTensors& masters, const NamedTensors& saved, const std::string& what) {
  check(saved.size() == masters.size(), "training", "the saved {} has {} tensors, the network {}", what, saved.size(),
        masters.size());
  const at::NoGradGuard no_grad;
  for (size_t i = 0; i < masters.size(); ++i) {
    check(saved[i].first == masters[i].first && saved[i].second.sizes() == masters[i].second.sizes(), "training",
          "the saved {} has '{}' where '{}' was expected", what, saved[i].first, masters[i].first);
    at::Tensor(masters[i].second).copy_(saved[i].second);
  }
}

void check_settings(const DmdStageSettings& s) {
  s.schedule.validate();
  check(s.global_batch > 0 && s.micro_batch > 0, "training",
        "batch sizes are positive, got global batch {} and micro batch {}", s.global_batch, s.micro_batch);
  check(s.latent.size() == 4 && s.latent[0] == s.dmd.rollout.layout.frames(), "training",
        "a latent is [F, C, H, W] with the layout's {} frames", s.dmd.rollout.layout.frames());
}

}  // namespace

DmdStage::DmdStage(DmdStageSettings settings, TrainedDit generator, CausalDit teacher, TrainedDit critic,
                   PromptBatch prompts, const Ranks& ranks)
    : settings_(std::move(settings)),
      generator_(std::move(generator)),
      teacher_(std::move(teacher)),
      critic_(std::move(critic)),
      prompts_(std::move(prompts)),
      ranks_(&ranks),
      generator_optimiser_(settings_.generator, generator_.masters()),
      critic_optimiser_(settings_.critic, critic_.masters()),
      ema_(settings_.ema_decay, settings_.ema_start_step, generator_.masters()) {
  check_settings(settings_);
  ranks_->share_of(settings_.global_batch);  // refuses a batch that leaves a rank without a sample
}

StepMetrics DmdStage::step(int64_t step) {
  StepMetrics metrics;
  if (settings_.schedule.updates_generator(step)) update_generator(step, metrics);
  if (settings_.schedule.updates_critic(step)) update_critic(step, metrics);
  return metrics;
}

DmdBatch DmdStage::batch(UpdateKind kind, int64_t step, int64_t first, int64_t count) const {
  const at::Tensor& like = generator_.network().weights().head.weight;
  std::vector<int64_t> latent{count};
  latent.insert(latent.end(), settings_.latent.begin(), settings_.latent.end());
  return {prompts_(kind, step, first, count),
          latent,
          at::TensorOptions().device(like.device()).dtype(wide_type(like.scalar_type())),
          {.seed = settings_.seed, .step = step, .first_sample = first}};
}

void DmdStage::update_generator(int64_t step, StepMetrics& metrics) {
  std::vector<at::Tensor> sums;
  double loss = 0, gradient_norm = 0, recovery = 0;
  for_each_micro_batch(settings_, *ranks_, [&](int64_t first, int64_t count, double share) {
    const GeneratorStep one = generator_step(generator_.network(), teacher_, critic_.network(),
                                             batch(UpdateKind::kGenerator, step, first, count), settings_.dmd);
    accumulate(sums, generator_.gradients(one.loss), share);
    loss += one.loss.item<double>() * share;
    gradient_norm += one.dmd_gradient_norm * share;
    recovery = std::max(recovery, one.recovery.relative_l2);
    metrics["exit_step"] = static_cast<double>(one.exit_step);
  });
  ranks_->sum(sums);
  metrics["generator_loss"] = ranks_->sum(loss);
  metrics["dmdtrain_gradient_norm"] = ranks_->sum(gradient_norm);
  metrics["recovery_relative_l2"] = ranks_->max(recovery);
  metrics["generator_grad_norm"] = generator_optimiser_.step(sums);
  generator_.sync();
  ema_.update(step);
}

void DmdStage::update_critic(int64_t step, StepMetrics& metrics) {
  std::vector<at::Tensor> sums;
  double loss = 0;
  for_each_micro_batch(settings_, *ranks_, [&](int64_t first, int64_t count, double share) {
    const at::Tensor one = critic_step(generator_.network(), critic_.network(),
                                       batch(UpdateKind::kCritic, step, first, count), settings_.dmd);
    accumulate(sums, critic_.gradients(one), share);
    loss += one.item<double>() * share;
  });
  ranks_->sum(sums);
  metrics["critic_loss"] = ranks_->sum(loss);
  metrics["critic_grad_norm"] = critic_optimiser_.step(sums);
  critic_.sync();
}

NamedTensors DmdStage::state() const {
  NamedTensors out;
  add_prefixed(out, "generator.", generator_.masters());
  add_prefixed(out, "critic.", critic_.masters());
  if (ema_.has_started()) add_prefixed(out, "ema.", ema_.average());
  add_prefixed(out, "generator_optimiser.", generator_optimiser_.state());
  add_prefixed(out, "critic_optimiser.", critic_optimiser_.state());
  return out;
}

void DmdStage::restore(const NamedTensors& state) {
  copy_into(generator_.masters(), with_prefix(state, "generator."), "generator");
  copy_into(critic_.masters(), with_prefix(state, "critic."), "critic");
  ema_.restore(with_prefix(state, "ema."));
  generator_optimiser_.restore(with_prefix(state, "generator_optimiser."));
  critic_optimiser_.restore(with_prefix(state, "critic_optimiser."));
  generator_.sync();
  critic_.sync();
}

}  // namespace sgf
