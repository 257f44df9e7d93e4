// The settings of a training run: stage, batch sizes, the two kinds of distillation, and what is written. Torch-free.
#pragma once

#include "sgf/context/gradient_boundary.h"
#include "sgf/core/enum_names.h"
#include "sgf/model/activation_policy.h"
#include "sgf/rollout/cache_latents.h"
#include "sgf/rollout/exit_steps.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace sgf {

enum class StageChoice {
  kFlowMatching,    // bidirectional, on clips: makes teachers
  kTeacherForcing,  // block by block with clean context, on clips: makes causal students to start from
  kDmd,             // the two passes and distribution matching, on prompts only
  // Few-step causal students, from the paths of many-step teachers.
  kCausalOde,         // clean context, stored paths of a teacher-forced teacher
  kBidirectionalOde,  // noisy context, stored paths of a bidirectional teacher
  kCausalCd,          // clean context, single steps of a teacher-forced teacher
};

constexpr auto enum_names(StageChoice) {
  return std::array{EnumName{StageChoice::kFlowMatching, "flow_matching"},
                    EnumName{StageChoice::kTeacherForcing, "teacher_forcing"},
                    EnumName{StageChoice::kDmd, "dmd"},
                    EnumName{StageChoice::kCausalOde, "causal_ode"},
                    EnumName{StageChoice::kBidirectionalOde, "bidirectional_ode"},
                    EnumName{StageChoice::kCausalCd, "causal_cd"}};
}

struct TrainSettings {
  StageChoice stage = StageChoice::kDmd;
  int64_t steps = 100;
  int64_t global_batch = 2;
  int64_t micro_batch = 1;
  std::string start_from;
  ActivationPolicy activations = ActivationPolicy::kKeepAll;
  bool record_launches = false;
  double ema_decay = 0.99;
  int64_t ema_start_step = 200;
  double skip_over_median = 20;
  int64_t stop_after_skips = 10;
  double stop_over_recovery = 0;

  bool operator==(const TrainSettings&) const = default;
};

template <class V>
void describe(V& v, TrainSettings& t) {
  v.field("stage", t.stage, "training stage, which decides the loss");
  v.field("steps", t.steps,
          "updates of the run, at least 1; in dmd each one updates the critic and every dmd.generator_every-th the "
          "generator");
  v.field("global_batch", t.global_batch, "samples per update, over all ranks and accumulated forwards");
  v.field("micro_batch", t.micro_batch, "samples per forward, at most train.global_batch");
  v.field("start_from", t.start_from, "weight file or run folder that the network starts from; empty = random weights");
  v.field("activations", t.activations,
          "activation checkpointing: keep all, recompute blocks, or recompute all but attention");
  v.field("record_launches", t.record_launches,
          "on a GPU, replay the launches of an update as one recorded graph; faster for small networks");
  v.field("ema_decay", t.ema_decay,
          "decay of the EMA of the trained network, from 0 to below 1; in causal_cd the EMA is the target too");
  v.field("ema_start_step", t.ema_start_step,
          "first update of the EMA, 0 or more; train.steps or more = no EMA; causal_cd starts at the first update");
  v.field("skip_over_median", t.skip_over_median,
          "gradient norm, as a multiple of its median, above which an update is skipped; above 1");
  v.field("stop_after_skips", t.stop_after_skips, "skipped updates in a row that end the run, at least 1");
  v.field("stop_over_recovery", t.stop_over_recovery,
          "relative L2 between Pass 1 and Pass 2 that ends the run; 0 = only warn");
}

// Self (Gradient) Forcing.
struct DmdChoices {
  GradientBoundary boundary = GradientBoundary::kOpenContext;
  double guidance = 3;
  std::optional<double> score_shift;
  double least_score_time = 0;
  bool score_above_next_step = false;
  int64_t generator_every = 5;
  bool generator_at_zero = false;
  int64_t critic_only_steps = 0;
  ExitSharing exit = ExitSharing::kShared;
  int64_t first_exit = 1;
  CacheLatents cache = CacheLatents::kExit;
  bool first_block_given = false;
  std::string teacher;
  std::string critic;

  bool operator==(const DmdChoices&) const = default;
};

template <class V>
void describe(V& v, DmdChoices& d) {
  v.field("boundary", d.boundary, "gradient through the context: open = Self Gradient Forcing, frozen = Self Forcing");
  v.field("guidance", d.guidance,
          "guidance scale g of the teacher in cond + g (cond - uncond), 0 or more; 3 equals a usual scale of 4");
  v.field("score_shift", d.score_shift, "noise shift of the scores and of the critic, above 0; null = schedule.shift");
  v.field("least_score_time", d.least_score_time, "lowest timestep of the scores and of the critic, 0 to 980");
  v.field("score_above_next_step", d.score_above_next_step,
          "whether a rollout that exits early is scored only at the noise of its next step and above");
  v.field("generator_every", d.generator_every, "updates from one generator update to the next, at least 1");
  v.field("generator_at_zero", d.generator_at_zero, "whether update 0 includes the generator, as in Self-Forcing");
  v.field("critic_only_steps", d.critic_only_steps, "first updates without a generator update, 0 or more");
  v.field("exit", d.exit,
          "exit step of a rollout: shared by all samples, or drawn per sample (then all steps are run)");
  v.field("first_exit", d.first_exit,
          "first eligible exit step; 1 = any step, the number of denoising steps = the last only");
  v.field("cache", d.cache,
          "latents that a block leaves in the KV cache: its exit prediction, or that of the last step");
  v.field("first_block_given", d.first_block_given,
          "whether the first block comes from a clip, as context only and without loss");
  v.field("teacher", d.teacher,
          "weight file or run folder of the frozen bidirectional teacher, which may be larger than the student");
  v.field("critic", d.critic,
          "weight file or run folder that the critic starts from; empty = the teacher, of the same size");
}

// Causal consistency distillation.
struct DistilSettings {
  std::string teacher;
  double guidance = 3;
  int64_t grid = 48;

  bool operator==(const DistilSettings&) const = default;
};

template <class V>
void describe(V& v, DistilSettings& d) {
  v.field("teacher", d.teacher, "weight file or run folder of the frozen teacher-forced teacher of causal_cd");
  v.field("guidance", d.guidance, "guidance scale g of the teacher in uncond + g (cond - uncond), 0 or more");
  v.field("grid", d.grid, "Euler steps from noise to data, at least 2; the teacher takes one per sample");
}

// What a run writes to its folder. Intervals are in steps; 0: never.
struct OutputSettings {
  int64_t checkpoint_every = 50;
  int64_t keep_last = 3;
  int64_t keep_every = 0;
  int64_t sample_every = 50;
  std::vector<std::string> sample_prompts;
  int64_t sample_steps = 24;
  double sample_guidance = 1.5;
  int64_t report_every = 50;
  bool tensorboard = true;

  bool operator==(const OutputSettings&) const = default;
};

template <class V>
void describe(V& v, OutputSettings& o) {
  v.field("checkpoint_every", o.checkpoint_every,
          "updates between checkpoints, 0 = none; the last update always has one");
  v.field("keep_last", o.keep_last, "newest checkpoints to keep, at least 1");
  v.field("keep_every", o.keep_every, "checkpoints at multiples of this update are kept too; 0 = none");
  v.field("sample_every", o.sample_every, "updates between sample videos, the last update included; 0 = none");
  v.field("sample_prompts", o.sample_prompts, "prompts of the sample videos; empty = the first prompts of the data");
  v.field("sample_steps", o.sample_steps, "Euler steps of samples from many-step models, at least 1");
  v.field("sample_guidance", o.sample_guidance,
          "guidance scale g of those samples in uncond + g (cond - uncond), 0 or more");
  v.field("report_every", o.report_every, "updates between new versions of report.html; 0 = none");
  v.field("tensorboard", o.tensorboard, "whether event files for TensorBoard are written");
}

}  // namespace sgf
