#include "sgf/training/stage_settings.h"

#include "sgf/assembly/config_parts.h"
#include "sgf/assembly/networks_from_config.h"
#include "sgf/core/error.h"
#include "sgf/training/update_schedule.h"

#include <ATen/ATen.h>

namespace sgf {
namespace {

LearnerSettings learner_settings(const Config& c, const OptimiserSettings& o) {
  return {.optimiser = {.learning_rate = o.learning_rate,
                        .beta1 = o.beta1,
                        .beta2 = o.beta2,
                        .weight_decay = o.weight_decay,
                        .eps = o.eps,
                        .clip_norm = o.clip_norm},
          .rate = {.warmup_steps = o.warmup_steps,
                   .decay = o.decay,
                   .final_share = o.final_share,
                   .total_steps = c.train.steps},
          .limits = {.factor = c.train.skip_over_median, .stop_after = c.train.stop_after_skips}};
}

SingleNetworkSettings single_network_settings(const Config& c) {
  return {.generator = learner_settings(c, c.optimiser),
          .ema_decay = c.train.ema_decay,
          .ema_start_step = c.train.ema_start_step,
          .batch = {.global = c.train.global_batch, .micro = c.train.micro_batch},
          .record_launches = c.train.record_launches};
}

}  // namespace

ClipStageSettings clip_stage_settings(const Config& c, const Conditioning& around) {
  const bool is_causal = c.train.stage == StageChoice::kTeacherForcing;
  return {.objective = is_causal ? ClipObjective::kTeacherForcing : ClipObjective::kFlowMatching,
          .update = single_network_settings(c),
          .seed = static_cast<uint64_t>(c.run.seed),
          .sigma = c.schedule.sigma_rule(),
          .policy = c.context.policy(),
          .layout = layout_of(c),
          .sampler = {.steps = c.output.sample_steps, .shift = c.schedule.shift, .guidance = c.output.sample_guidance},
          .empty_text = around.text->encode({""})};
}

OdeStageSettings ode_stage_settings(const Config& c) {
  const bool is_causal = c.train.stage == StageChoice::kCausalOde;
  return {.objective = is_causal ? OdeObjective::kCausal : OdeObjective::kBidirectional,
          .update = single_network_settings(c),
          .seed = static_cast<uint64_t>(c.run.seed),
          .rollout = rollout_settings_of(c),
          .latent = latent_shape(c)};
}

ConsistencyStageSettings consistency_stage_settings(const Config& c, const Conditioning& around, c10::Device device) {
  return {.update = single_network_settings(c),
          .seed = static_cast<uint64_t>(c.run.seed),
          .guidance = c.distil.guidance,
          .grid = euler_grid(c.distil.grid, c.schedule.shift),
          .rollout = rollout_settings_of(c),
          .latent = latent_shape(c),
          .negative_text = around.text->encode({c.negative_prompt}).to(device, master_type(c))};
}

DmdStageSettings dmd_stage_settings(const Config& c) {
  const size_t steps = c.schedule.denoising_steps.size();
  SGF_CHECK(c.dmd.first_exit <= static_cast<int64_t>(steps),
            "dmd.first_exit must be one of the {} denoising steps, 1 to {}, got {}", steps, steps, c.dmd.first_exit);
  return {
      .dmd = {.rollout = rollout_settings_of(c),
              .first_exit = c.dmd.first_exit,
              .exits = c.dmd.exit,
              .boundary = c.dmd.boundary,
              .guidance = c.dmd.guidance,
              .score = {.shift = c.dmd.score_shift.value_or(c.schedule.shift), .least = c.dmd.least_score_time},
              .score_above_next_step = c.dmd.score_above_next_step},
      .generator = learner_settings(c, c.optimiser),
      .critic = learner_settings(c, c.critic_optimiser),
      .schedule = update_schedule(c.dmd),
      .ema_decay = c.train.ema_decay,
      .ema_start_step = c.train.ema_start_step,
      .batch = {.global = c.train.global_batch, .micro = c.train.micro_batch},
      .recovery = {.warn_over = RecoveryWatch::usual_limit(compute_type(c)), .stop_over = c.train.stop_over_recovery},
      .record_launches = c.train.record_launches,
      .seed = static_cast<uint64_t>(c.run.seed),
      .latent = {c.video.frames, c.model.in_dim, c.video.height, c.video.width}};
}

}  // namespace sgf
