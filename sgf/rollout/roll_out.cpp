#include "sgf/rollout/roll_out.h"

#include "sgf/context/kv_cache.h"
#include "sgf/core/error.h"
#include "sgf/schedule/flow_match.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include <algorithm>

namespace sgf {
namespace {

struct RolledBlock {
  at::Tensor noisy;
  at::Tensor prediction;
  at::Tensor context;
};

// Takes the samples that exit at `step` from `now`, the others from before.
at::Tensor take_leaving(const at::Tensor& before, const at::Tensor& now, const ExitSteps& exits, int64_t step) {
  if (!before.defined()) return now.clone();
  at::Tensor rows = before;
  for (int64_t sample = 0; sample < now.size(0); ++sample)
    if (exits.of(sample) == step) rows[sample].copy_(now[sample]);
  return rows;
}

// Without the steps after the exit, if nobody needs them.
bool stops_at_exit(const RolloutSettings& settings, const ExitSteps& exits) {
  return exits.is_shared() && settings.cache == CacheLatents::kExit;
}

RolledBlock roll_block(const CausalDit& dit, const PromptText& text, const Serial& context,
                       const RolloutSettings& settings, const ExitSteps& all_exits, const BlockNoise& noise) {
  const ExitSteps exits = settings.exits_of(context.block, all_exits);
  const DenoisingSteps way{settings.timesteps_of(context.block), settings.steps_taken(context.block, all_exits),
                           settings.sigma};
  if (stops_at_exit(settings, exits)) {
    const DenoisedBlock last = denoise_block(dit, text, context, way, noise);
    return {last.noisy, last.prediction, last.prediction};
  }
  RolledBlock rolled;
  const DenoisedBlock last = denoise_block(dit, text, context, way, noise, [&](int64_t step, const DenoisedBlock& now) {
    rolled.noisy = take_leaving(rolled.noisy, now.noisy, exits, step);
    rolled.prediction = take_leaving(rolled.prediction, now.prediction, exits, step);
  });
  rolled.context = settings.cache == CacheLatents::kFinalClean ? last.prediction : rolled.prediction;
  return rolled;
}

at::Tensor exit_timesteps(const std::vector<double>& timesteps, const ExitSteps& exits, int64_t batch,
                          c10::Device device) {
  const auto of = [&](int64_t sample) { return timesteps.at(static_cast<size_t>(exits.of(sample) - 1)); };
  if (exits.is_shared()) return at::full({batch}, of(0), at::TensorOptions(at::kDouble).device(device));
  std::vector<double> t;
  for (int64_t sample = 0; sample < batch; ++sample) t.push_back(of(sample));
  return at::tensor(t, at::kDouble).to(device);
}

// Undefined if the first block has no steps of its own. `like` has the rollout's batch and device.
at::Tensor first_timesteps(const RolloutSettings& settings, const ExitSteps& exits, const at::Tensor& like) {
  const FrameSpan block = settings.layout.block(0);
  if (!settings.has_own_steps(block)) return {};
  return exit_timesteps(settings.first_timesteps, settings.exits_of(block, exits), like.size(0), like.device());
}

void check_exits(const ExitSteps& exits, size_t steps, int64_t batch) {
  SGF_CHECK(exits.is_shared() || static_cast<int64_t>(exits.steps().size()) == batch,
            "exit steps must be one for all samples or one per sample, got {} for {} samples", exits.steps().size(),
            batch);
  for (const int64_t step : exits.steps())
    SGF_CHECK(step >= 1 && step <= static_cast<int64_t>(steps), "an exit step must be between 1 and {}, got {}", steps,
              step);
}

void check_all_exits(const ExitSteps& exits, const RolloutSettings& settings, int64_t batch) {
  check_exits(exits, settings.timesteps.size(), batch);
  if (exits.has_first()) check_exits(exits.first(), settings.first_timesteps.size(), batch);
}

void check_given(const at::Tensor& given, const BlockLayout& layout) {
  if (!given.defined()) return;
  const int64_t frames = given.size(1);
  SGF_CHECK(
      frames < layout.frames() && layout.block(layout.block_of(frames)).begin == frames,
      "given frames must be whole blocks and fewer than the video's, got {} of {} frames with a first block of {}",
      frames, layout.frames(), layout.block(0).frames());
}

}  // namespace

ExitSteps RolloutSettings::exits_of(FrameSpan block, const ExitSteps& exits) const {
  if (!has_own_steps(block)) return exits;
  if (exits.has_first()) return exits.first();
  const auto later = static_cast<int64_t>(first_timesteps.size()) - static_cast<int64_t>(timesteps.size());
  std::vector<int64_t> steps = exits.steps();
  for (int64_t& step : steps) step = std::max<int64_t>(step + later, 1);
  return exits.is_shared() ? ExitSteps(steps.front()) : ExitSteps(steps);
}

int64_t RolloutSettings::steps_taken(FrameSpan block, const ExitSteps& exits) const {
  return stops_at_exit(*this, exits) ? exits_of(block, exits).latest()
                                     : static_cast<int64_t>(timesteps_of(block).size());
}

at::Tensor context_latents(const at::Tensor& clean, FrameSpan block, const RolloutSettings& settings,
                           const BlockNoise& noise) {
  if (settings.context_sigma == 0) return clean;
  return add_noise(clean, noise(block, settings.context_draw()), settings.context_sigma);
}

PromptText prompt_for_rollout(const CausalDit& dit, const at::Tensor& rows) {
  const at::NoGradGuard no_grad;
  return dit.prepare(rows);
}

ExitRecord roll_out(const CausalDit& dit, const PromptText& text, const RolloutSettings& settings,
                    const ExitSteps& exits, const BlockNoise& noise, const at::Tensor& given) {
  const at::NoGradGuard no_grad;
  const BlockLayout& layout = settings.layout;
  const at::Tensor first = noise(layout.block(0), 0);
  check_all_exits(exits, settings, first.size(0));
  check_given(given, layout);
  const int64_t given_frames = given.defined() ? given.size(1) : 0;
  KvCache cache(settings.policy, dit.cache_shape(first, layout.largest_block(), layout.frames()),
                dit.weights().head.weight.options().requires_grad(false));
  std::vector<at::Tensor> noisy, predictions, contexts;
  for (int64_t i = 0; i < layout.count(); ++i) {
    const Serial context{cache, layout.block(i), settings.positions};
    RolledBlock rolled;
    if (context.block.begin < given_frames) {
      const at::Tensor clean = given.slice(1, context.block.begin, context.block.end).to(first.options());
      rolled = {clean, clean, clean};
    } else {
      rolled = roll_block(dit, text, context, settings, exits, noise);
      rolled.context = context_latents(rolled.context, context.block, settings, noise);
    }
    dit.write(rolled.context, text, context);
    noisy.push_back(rolled.noisy);
    predictions.push_back(rolled.prediction);
    contexts.push_back(rolled.context);
  }
  return {settings.policy,
          layout,
          exit_timesteps(settings.timesteps, exits, first.size(0), first.device()),
          at::cat(noisy, 1),
          at::cat(predictions, 1),
          at::cat(contexts, 1),
          given_frames,
          settings.sigma,
          first_timesteps(settings, exits, first)};
}

}  // namespace sgf
