// Checks of the training sections of a config.
#include "sgf/config/train_config_validation.h"
#include "sgf/config/config.h"
#include "sgf/config/setting_error.h"

namespace sgf {
namespace {

void check_at_least(std::string_view key, int64_t value, int64_t least) {
  SGF_CHECK_SETTING(value >= least, "{} must be at least {}, got {}", Key{key}, least, value);
}

void check_at_least_zero(std::string_view key, double value) {
  SGF_CHECK_SETTING(value >= 0, "{} must not be negative, got {}", Key{key}, value);
}

void check_share(std::string_view key, double value) {
  SGF_CHECK_SETTING(value >= 0 && value <= 1, "{} must be between 0 and 1, got {}", Key{key}, value);
}

void check_decay(std::string_view key, double value) {
  SGF_CHECK_SETTING(value >= 0 && value < 1, "{} must be at least 0 and less than 1, got {}", Key{key}, value);
}

void check_optimiser(const std::string& section, const OptimiserSettings& o) {
  SGF_CHECK_SETTING(o.learning_rate > 0, "{} must be positive, got {}", Key{section + ".learning_rate"},
                    o.learning_rate);
  check_decay(section + ".beta1", o.beta1);
  check_decay(section + ".beta2", o.beta2);
  check_at_least_zero(section + ".weight_decay", o.weight_decay);
  SGF_CHECK_SETTING(o.eps > 0, "{} must be positive, got {}", Key{section + ".eps"}, o.eps);
  check_at_least_zero(section + ".clip_norm", o.clip_norm);
  check_at_least(section + ".warmup_steps", o.warmup_steps, 0);
  check_share(section + ".final_share", o.final_share);
}

void check_train(const TrainSettings& t) {
  check_at_least("train.steps", t.steps, 1);
  check_at_least("train.global_batch", t.global_batch, 1);
  check_at_least("train.micro_batch", t.micro_batch, 1);
  SGF_CHECK_SETTING(t.micro_batch <= t.global_batch, "{} must be at most {}, got {} of {}", Key{"train.micro_batch"},
                    Key{"train.global_batch"}, t.micro_batch, t.global_batch);
  check_decay("train.ema_decay", t.ema_decay);
  check_at_least("train.ema_start_step", t.ema_start_step, 0);
  SGF_CHECK_SETTING(t.skip_over_median > 1, "{} must be more than 1, got {}", Key{"train.skip_over_median"},
                    t.skip_over_median);
  check_at_least("train.stop_after_skips", t.stop_after_skips, 1);
  check_at_least_zero("train.stop_over_recovery", t.stop_over_recovery);
}

void check_dmd(const DmdChoices& d) {
  check_at_least_zero("dmd.guidance", d.guidance);
  if (d.score_shift)
    SGF_CHECK_SETTING(*d.score_shift > 0, "{} must be positive, got {}", Key{"dmd.score_shift"}, *d.score_shift);
  SGF_CHECK_SETTING(d.least_score_time >= 0 && d.least_score_time <= 980, "{} must be between 0 and 980, got {}",
                    Key{"dmd.least_score_time"}, d.least_score_time);
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
