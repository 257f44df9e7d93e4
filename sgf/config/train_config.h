// The settings of a training run beside those of the network: stage, data, batch sizes, intervals and output.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sgf/context/gradient_boundary.h"
#include "sgf/core/enum_names.h"
#include "sgf/model/activation_policy.h"
#include "sgf/rollout/cache_latents.h"
#include "sgf/rollout/exit_steps.h"

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
  v.field("stage", t.stage, "what is trained and on which loss");
  v.field("steps", t.steps, "steps of the run; in dmd every step updates the critic, every fifth the generator");
  v.field("global_batch", t.global_batch, "samples an update, over all ranks and accumulated forwards");
  v.field("micro_batch", t.micro_batch, "samples a forward");
  v.field("start_from", t.start_from, "weights, or a run folder, that the network starts from; empty: random");
  v.field("activations", t.activations,
          "what the backward pass finds: keep all, recompute blocks, or all but attention");
  v.field("record_launches", t.record_launches,
          "on a GPU, queue an update's loss and gradients as one recorded graph: faster for small networks");
  v.field("ema_decay", t.ema_decay, "of the slow average of the trained network; in causal_cd it is the target too");
  v.field("ema_start_step", t.ema_start_step, "step from which the average is kept; causal_cd keeps it from the first");
  v.field("skip_over_median", t.skip_over_median,
          "an update whose gradient norm is so many times the median is skipped");
  v.field("stop_after_skips", t.stop_after_skips, "skipped updates in a row that end the run");
  v.field("stop_over_recovery", t.stop_over_recovery, "end the run where Pass 2 is this far from Pass 1; 0: only warn");
}

enum class RateDecay { kConstant, kCosine };

constexpr auto enum_names(RateDecay) {
  return std::array{EnumName{RateDecay::kConstant, "constant"}, EnumName{RateDecay::kCosine, "cosine"}};
}

// AdamW; weight decay is on all parameters.
struct OptimiserSettings {
  double learning_rate = 2e-6;
  double beta1 = 0.0;
  double beta2 = 0.999;
  double weight_decay = 0.01;
  double eps = 1e-8;
  double clip_norm = 10;
  int64_t warmup_steps = 0;
  RateDecay decay = RateDecay::kConstant;
  double final_share = 0.1;

  bool operator==(const OptimiserSettings&) const = default;
};

template <class V>
void describe(V& v, OptimiserSettings& o) {
  v.field("learning_rate", o.learning_rate, "of AdamW");
  v.field("beta1", o.beta1, "decay of the first moment");
  v.field("beta2", o.beta2, "decay of the second moment");
  v.field("weight_decay", o.weight_decay, "on all parameters");
  v.field("eps", o.eps, "added to the root of the second moment");
  v.field("clip_norm", o.clip_norm, "largest norm of a whole gradient; 0: none");
  v.field("warmup_steps", o.warmup_steps, "steps in which the rate rises from nothing");
  v.field("decay", o.decay, "of the rate, over train.steps");
  v.field("final_share", o.final_share, "of the rate, that cosine ends at");
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
  v.field("boundary", d.boundary, "open: Self Gradient Forcing; frozen: Self Forcing");
  v.field("guidance", d.guidance, "real = cond + guidance (cond - uncond); 3 is the usual weight of 4");
  v.field("score_shift", d.score_shift,
          "shift of the noise that scores are compared and the critic learns at; null: schedule.shift");
  v.field("least_score_time", d.least_score_time, "no less noise than of this time, of 1000, there");
  v.field("score_above_next_step", d.score_above_next_step,
          "judge a rollout that stopped early at the noise of the step it would have gone on from, and above");
  v.field("generator_every", d.generator_every, "steps between two updates of the generator");
  v.field("generator_at_zero", d.generator_at_zero, "update the generator at step 0 too, as Self-Forcing does");
  v.field("critic_only_steps", d.critic_only_steps, "first steps that leave the generator alone");
  v.field("exit", d.exit, "exit step of a rollout: shared by all samples, or one a sample (all steps are run then)");
  v.field("first_exit", d.first_exit,
          "exits are drawn from this step to the last: 1 of all, their number of the last alone");
  v.field("cache", d.cache, "what a block leaves in the cache: its exit prediction, or the last of all steps");
  v.field("first_block_given", d.first_block_given, "the first block is a true clip's: context only, out of the loss");
  v.field("teacher", d.teacher,
          "weights, or a run folder, of the frozen bidirectional teacher; may be larger than the student");
  v.field("critic", d.critic,
          "weights, or a run folder, that the critic starts from; empty: the teacher's, of the same size");
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
  v.field("teacher", d.teacher, "weights, or a run folder, of the frozen teacher-forced teacher of causal_cd");
  v.field("guidance", d.guidance, "the teacher steps along uncond + guidance (cond - uncond)");
  v.field("grid", d.grid, "Euler steps between noise and data, of which the teacher takes one");
}

// Sources of clips and prompts.
struct DataSettings {
  std::string world;
  std::string wan;
  std::string prompts;
  std::string clips;
  std::string pairs;
  double caption_dropout = 0.1;

  bool operator==(const DataSettings&) const = default;
};

template <class V>
void describe(V& v, DataSettings& d) {
  v.field("world", d.world, "built-in world that clips and captions are drawn from: world-tiny or world-small");
  v.field("wan", d.wan, "Wan folder, where there is no world: its text encoder reads prompts, its VAE shows samples");
  v.field("prompts", d.prompts, "file of prompts, one a line; empty: the world's captions");
  v.field("clips", d.clips, "folder of encoded videos, as sgf data encode makes it: clips in place of the world's");
  v.field("pairs", d.pairs, "folder of a teacher's paths, as sgf pairs makes them: what the ode stages learn");
  v.field("caption_dropout", d.caption_dropout,
          "share of clips trained without their caption, in flow_matching and teacher_forcing");
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
  v.field("checkpoint_every", o.checkpoint_every, "steps between checkpoints; the last step always has one");
  v.field("keep_last", o.keep_last, "newest checkpoints that stay");
  v.field("keep_every", o.keep_every, "checkpoints whose step it divides stay too");
  v.field("sample_every", o.sample_every, "steps between sample videos");
  v.field("sample_prompts", o.sample_prompts, "prompts of the samples; empty: the first of the data");
  v.field("sample_steps", o.sample_steps, "Euler steps of a sample from a many-step model");
  v.field("sample_guidance", o.sample_guidance, "uncond + guidance (cond - uncond) in those samples");
  v.field("report_every", o.report_every, "steps between renewals of report.html");
  v.field("tensorboard", o.tensorboard, "write event files for TensorBoard");
}

}  // namespace sgf
