#include "sgf/training/build_stage.h"

#include "sgf/assembly/config_parts.h"
#include "sgf/assembly/networks_from_config.h"
#include "sgf/core/error.h"
#include "sgf/dataset/pair_source.h"
#include "sgf/training/clip_stage.h"
#include "sgf/training/consistency_stage.h"
#include "sgf/training/dmd_stage.h"
#include "sgf/training/ode_stage.h"
#include "sgf/training/stage_parts.h"
#include "sgf/training/update_schedule.h"
#include "sgf/world/source.h"

#include <ATen/ATen.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

namespace sgf {
namespace {

LearnerSettings learner_settings(const Config& c, const OptimiserSettings& o) {
  return {.optimiser = o,
          .total_steps = c.train.steps,
          .limits = {.factor = c.train.skip_over_median, .stop_after = c.train.stop_after_skips}};
}

SingleNetworkSettings single_network_settings(const Config& c) {
  return {.generator = learner_settings(c, c.optimiser),
          .ema_decay = c.train.ema_decay,
          .ema_start_step = c.train.ema_start_step,
          .batch = {.global = c.train.global_batch, .micro = c.train.micro_batch},
          .record_launches = c.train.record_launches};
}

// Generator and critic use different prompts: even and odd numbers.
constexpr int64_t kKinds = 2;

std::unique_ptr<Stage> build_clip_stage(const Config& c, const Conditioning& conditioning, c10::Device device,
                                        const Ranks& ranks) {
  return std::make_unique<ClipStage>(clip_stage_settings(c, conditioning), trained_dit(c, c.train.start_from, device),
                                     clip_batches(c, conditioning, device, c.data.caption_dropout), ranks);
}

// Students of paths use the timesteps at which the path states were stored.
void check_paths_fit(const Config& c, const PairOrder& order) {
  const std::vector<double> steps = c.schedule.timesteps();
  SGF_CHECK(order.stage == enum_name(c.train.stage), "data.pairs {}: holds pairs for {}, but train.stage is {}",
            c.data.pairs, order.stage, enum_name(c.train.stage));
  SGF_CHECK(order.latent == std::vector<int64_t>({c.video.frames, c.model.in_dim, c.video.height, c.video.width}),
            "data.pairs {}: holds latents of [{}], but this config needs [{}, {}, {}, {}]", c.data.pairs,
            fmt::join(order.latent, ", "), c.video.frames, c.model.in_dim, c.video.height, c.video.width);
  SGF_CHECK(order.context == pair_context(c),
            "data.pairs {}: its paths were made with {}, but this config has {}; make pairs with this config",
            c.data.pairs, order.context, pair_context(c));
  bool fits = order.timesteps.size() == steps.size();
  for (size_t i = 0; fits && i < steps.size(); ++i) fits = std::abs(order.timesteps[i] - steps[i]) < 1e-6;
  SGF_CHECK(fits,
            "data.pairs {}: its states were stored at timesteps {:.6g}, but the student's are {:.6g}; make pairs with "
            "this config",
            c.data.pairs, fmt::join(order.timesteps, ", "), fmt::join(steps, ", "));
}

std::unique_ptr<Stage> build_ode_stage(const Config& c, const Conditioning& conditioning, c10::Device device,
                                       const Ranks& ranks) {
  const auto seed = static_cast<uint64_t>(c.run.seed);
  const auto source = std::make_shared<PairSource>(c.data.pairs, seed);
  check_paths_fit(c, source->order());
  const PathBatches batches = [=, text = conditioning.text, type = master_type(c), global = c.train.global_batch](
                                  int64_t step, int64_t first, int64_t count) {
    const PairBatch pairs = source->pairs(step * global + first, count, device);
    return TextPaths{pairs.states.to(type), pairs.end.to(type),
                     pairs.data.defined() ? pairs.data.to(type) : at::Tensor(),
                     text->encode(pairs.captions).to(device, type)};
  };
  return std::make_unique<OdeStage>(ode_stage_settings(c), trained_dit(c, c.train.start_from, device), batches, ranks);
}

std::unique_ptr<Stage> build_consistency_stage(const Config& c, const Conditioning& conditioning, c10::Device device,
                                               const Ranks& ranks) {
  return std::make_unique<ConsistencyStage>(
      consistency_stage_settings(c, conditioning, device), trained_dit(c, c.train.start_from, device),
      build_teacher(c, c.distil.teacher, device), clip_batches(c, conditioning, device, /*dropout=*/0), ranks);
}

// The number of a prompt or clip in the run; generator and critic never share one.
int64_t data_number(const Config& c, UpdateKind kind, int64_t step, int64_t first) {
  const int64_t parity = kind == UpdateKind::kGenerator ? 0 : 1;
  return (kKinds * step + parity) * c.train.global_batch + first;
}

DmdData dmd_data(const Config& c, const Conditioning& conditioning, c10::Device device) {
  const at::ScalarType type = master_type(c);
  const at::Tensor negative = conditioning.text->encode({c.negative_prompt}).to(device, type);
  DmdData data;
  data.prompts = [=, text = conditioning.text, source = prompt_source(c, conditioning)](UpdateKind kind, int64_t step,
                                                                                        int64_t first, int64_t count) {
    const at::Tensor cond = text->encode(source->prompts(data_number(c, kind, step, first), count)).to(device, type);
    return ScoreText{cond, negative.expand(cond.sizes())};
  };
  if (!c.dmd.first_block_given) return data;
  const auto clips = std::make_shared<WorldSource>(world_preset(c.data.world), static_cast<uint64_t>(c.run.seed));
  data.given = [=, frames = layout_of(c).block(0).frames()](UpdateKind kind, int64_t step, int64_t first,
                                                            int64_t count) {
    return clips->clips(data_number(c, kind, step, first), count, frames, device).latents.to(type);
  };
  data.sample_given = [=, frames = layout_of(c).block(0).frames()](int64_t count) {
    return clips->clips(kFirstSampleClip, count, frames, device).latents.to(type);
  };
  return data;
}

}  // namespace

ClipStageSettings clip_stage_settings(const Config& c, const Conditioning& conditioning) {
  return {.is_causal = c.train.stage == StageChoice::kTeacherForcing,
          .update = single_network_settings(c),
          .seed = static_cast<uint64_t>(c.run.seed),
          .sigma = c.schedule.sigma_rule(),
          .policy = c.context.policy(),
          .layout = layout_of(c),
          .sampler = {.steps = c.output.sample_steps, .shift = c.schedule.shift, .guidance = c.output.sample_guidance},
          .empty_text = conditioning.text->encode({""})};
}

OdeStageSettings ode_stage_settings(const Config& c) {
  return {.is_causal = c.train.stage == StageChoice::kCausalOde,
          .update = single_network_settings(c),
          .seed = static_cast<uint64_t>(c.run.seed),
          .rollout = rollout_settings_of(c),
          .latent = latent_shape(c)};
}

ConsistencyStageSettings consistency_stage_settings(const Config& c, const Conditioning& conditioning,
                                                    c10::Device device) {
  return {.update = single_network_settings(c),
          .seed = static_cast<uint64_t>(c.run.seed),
          .guidance = c.distil.guidance,
          .grid = euler_grid(c.distil.grid, c.schedule.shift),
          .rollout = rollout_settings_of(c),
          .latent = latent_shape(c),
          .negative_text = conditioning.text->encode({c.negative_prompt}).to(device, master_type(c))};
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

std::vector<std::string> prompts_of_steps(const Config& c, const Conditioning& conditioning, const Ranks& ranks,
                                          int64_t first, int64_t last) {
  if (c.train.stage != StageChoice::kDmd || c.data.prompts.empty() || !c.data.world.empty()) return {};
  const std::shared_ptr<const PromptSource> source = prompt_source(c, conditioning);
  const UpdateSchedule schedule = update_schedule(c.dmd);
  const SampleShare share = ranks.share_of(c.train.global_batch);
  std::vector<std::string> prompts = conditioning.sample_prompts;
  prompts.push_back(c.negative_prompt);
  std::set<std::string> met(prompts.begin(), prompts.end());
  const auto read = [&](UpdateKind kind, int64_t step) {
    for (std::string& prompt : source->prompts(data_number(c, kind, step, share.first), share.count))
      if (met.insert(prompt).second) prompts.push_back(std::move(prompt));
  };
  for (int64_t step = first; step < last; ++step) {
    if (schedule.updates_generator(step)) read(UpdateKind::kGenerator, step);
    if (schedule.updates_critic(step)) read(UpdateKind::kCritic, step);
  }
  return prompts;
}

std::string pair_context(const Config& c) {
  if (c.train.stage != StageChoice::kCausalOde) return "";
  const ContextPolicy policy = c.context.policy();
  return fmt::format("sink {}, window {}, blocks of {} after {}", policy.sink_frames, policy.fifo_frames,
                     c.context.block_frames, layout_of(c).block(0).frames());
}

DmdParts build_dmd_parts(const Config& c, const Conditioning& conditioning, c10::Device device) {
  DmdData data = dmd_data(c, conditioning, device);
  const bool starts_as_teacher = c.dmd.critic.empty();
  const std::string& critic = starts_as_teacher ? c.dmd.teacher : c.dmd.critic;
  return {dmd_stage_settings(c), trained_dit(c, c.train.start_from, device), build_teacher(c, c.dmd.teacher, device),
          trained_dit(c, critic, device, starts_as_teacher ? WeightPurpose::kTraining : WeightPurpose::kCritic),
          std::move(data)};
}

std::unique_ptr<Stage> build_stage(const Config& c, const Conditioning& conditioning, c10::Device device,
                                   const Ranks& ranks) {
  switch (c.train.stage) {
    case StageChoice::kFlowMatching:
    case StageChoice::kTeacherForcing:
      return build_clip_stage(c, conditioning, device, ranks);
    case StageChoice::kCausalOde:
    case StageChoice::kBidirectionalOde:
      return build_ode_stage(c, conditioning, device, ranks);
    case StageChoice::kCausalCd:
      return build_consistency_stage(c, conditioning, device, ranks);
    case StageChoice::kDmd:
      break;
  }
  DmdParts parts = build_dmd_parts(c, conditioning, device);
  return std::make_unique<DmdStage>(std::move(parts.settings), std::move(parts.generator), std::move(parts.teacher),
                                    std::move(parts.critic), std::move(parts.data), ranks);
}

}  // namespace sgf
