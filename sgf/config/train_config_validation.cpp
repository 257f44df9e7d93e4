// What the training sections of a config must hold to.
#include "sgf/config/train_config_validation.h"
#include "sgf/config/config.h"
#include "sgf/core/error.h"

namespace sgf {
namespace {

void check_at_least(std::string_view key, int64_t value, int64_t least) {
  SGF_CHECK(value >= least, "{} must be at least {}, got {}", key, least, value);
}

void check_at_least_zero(std::string_view key, double value) {
  SGF_CHECK(value >= 0, "{} must not be negative, got {}", key, value);
}

void check_share(std::string_view key, double value) {
  SGF_CHECK(value >= 0 && value <= 1, "{} is a share, 0 to 1, got {}", key, value);
}

void check_decay(std::string_view key, double value) {
  SGF_CHECK(value >= 0 && value < 1, "{} must lie in [0, 1), got {}", key, value);
}

void check_optimiser(const std::string& section, const OptimiserSettings& o) {
  SGF_CHECK(o.learning_rate > 0, "{}.learning_rate must be positive, got {}", section, o.learning_rate);
  check_decay(section + ".beta1", o.beta1);
  check_decay(section + ".beta2", o.beta2);
  check_at_least_zero(section + ".weight_decay", o.weight_decay);
  SGF_CHECK(o.eps > 0, "{}.eps must be positive, got {}", section, o.eps);
  check_at_least_zero(section + ".clip_norm", o.clip_norm);
  check_at_least(section + ".warmup_steps", o.warmup_steps, 0);
  check_share(section + ".final_share", o.final_share);
}

void check_train(const TrainSettings& t) {
  check_at_least("train.steps", t.steps, 1);
  check_at_least("train.global_batch", t.global_batch, 1);
  check_at_least("train.micro_batch", t.micro_batch, 1);
  SGF_CHECK(t.micro_batch <= t.global_batch, "train.micro_batch must fit in train.global_batch, got {} of {}",
            t.micro_batch, t.global_batch);
  check_decay("train.ema_decay", t.ema_decay);
  check_at_least("train.ema_start_step", t.ema_start_step, 0);
  SGF_CHECK(t.skip_over_median > 1, "train.skip_over_median must be over 1, got {}", t.skip_over_median);
  check_at_least("train.stop_after_skips", t.stop_after_skips, 1);
  check_at_least_zero("train.stop_over_recovery", t.stop_over_recovery);
}

void check_dmd(const DmdChoices& d) {
  check_at_least_zero("dmd.guidance", d.guidance);
  if (d.score_shift) SGF_CHECK(*d.score_shift > 0, "dmd.score_shift must be positive, got {}", *d.score_shift);
  SGF_CHECK(d.least_score_time >= 0 && d.least_score_time <= 980, "dmd.least_score_time must lie in 0 .. 980, got {}",
            d.least_score_time);
  check_at_least("dmd.generator_every", d.generator_every, 1);
  check_at_least("dmd.critic_only_steps", d.critic_only_steps, 0);
  check_at_least("dmd.first_exit", d.first_exit, 1);
}

void check_distil(const DistilSettings& d) {
  check_at_least_zero("distil.guidance", d.guidance);
  check_at_least("distil.grid", d.grid, 2);
}

void check_output(const OutputSettings& o) {
  check_at_least("output.checkpoint_every", o.checkpoint_every, 0);
  check_at_least("output.keep_last", o.keep_last, 1);
  check_at_least("output.keep_every", o.keep_every, 0);
  check_at_least("output.sample_every", o.sample_every, 0);
  check_at_least("output.sample_steps", o.sample_steps, 1);
  check_at_least_zero("output.sample_guidance", o.sample_guidance);
  check_at_least("output.report_every", o.report_every, 0);
}

}  // namespace

void validate_training(const Config& config) {
  check_train(config.train);
  check_optimiser("optimiser", config.optimiser);
  check_optimiser("critic_optimiser", config.critic_optimiser);
  check_dmd(config.dmd);
  check_distil(config.distil);
  check_share("data.caption_dropout", config.data.caption_dropout);
  check_output(config.output);
}

}  // namespace sgf
