#include "sgf/config/flat_parts.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

#include "sgf/core/error.h"
#include "sgf/schedule/schedule_settings.h"
#include "sgf/schedule/sigma_shift.h"

namespace sgf {
namespace {

constexpr const char* kNetworkShift = "model_kwargs.timestep_shift";

// The value is computed from numbers of the file and may overflow.
void set_number(FlatReader& file, std::string_view ours, double value, std::string_view key,
                const std::string& remark = "") {
  SGF_CHECK(std::isfinite(value), "{}: {} is out of range: {} becomes {}", file.origin_of(key).where(), key, ours,
            value);
  file.set(ours, ConfigValue<double>::write(value), key, remark);
}

// A value that the file leaves to its trainer.
void set_if_missing(FlatReader& file, std::string_view key, std::string_view ours, const std::string& value,
                    const std::string& remark = "the default of its trainer") {
  if (!file.has(key)) file.set(ours, value, key, remark);
}

// The number of steps in a list, which may be absent or null.
size_t take_step_list(FlatReader& file, const char* key, const char* ours) {
  const ConfigNode* listed = file.find(key);
  if (listed == nullptr || listed->kind == ConfigNode::Kind::kNull) return 0;
  ConfigNode steps = *listed;
  const bool ends_clean = !steps.items.empty() && is_flat_value(steps.items.back(), "0");
  if (ends_clean) steps.items.pop_back();
  file.put(ours, steps);
  file.note(key, ours, ends_clean ? "without its 0: no step starts at 0" : "");
  return steps.items.size();
}

// The release's training pipeline keeps the list and never reads it; its inference does.
void take_first_block(FlatReader& file) {
  constexpr const char *kTheirs = "denoising_step_list_first_chunk", *kOurs = "schedule.first_block_steps";
  const ConfigNode* listed = file.find(kTheirs);
  if (!is_self_gradient_forcing(file) || is_inference_only(file) || listed == nullptr || listed->items.empty()) {
    take_step_list(file, kTheirs, kOurs);
    return;
  }
  std::vector<std::string> steps;
  for (const ConfigNode& step : listed->items)
    if (!is_flat_value(step, "0")) steps.push_back(step.text);
  file.note(kTheirs, "",
            fmt::format("its training never reads it, its inference does: sgf generate --set '{}=[{}]'", kOurs,
                        fmt::join(steps, ", ")));
}

void take_steps(FlatReader& file) {
  size_t count = take_step_list(file, "denoising_step_list", "schedule.denoising_steps");
  if (count == 0) count = ScheduleSettings{}.denoising_steps.size();
  take_first_block(file);
  set_if_missing(file, "warp_denoising_step", "schedule.warp_denoising_steps", "false",
                 "the default of its default_config.yaml");
  if (file.has("last_step_only"))
    file.set("dmd.first_exit", file.value_or("last_step_only", false) ? std::to_string(count) : "1", "last_step_only");
}

// The exit's next step is the lower limit with ts_schedule, which is on unless the file says otherwise.
void take_least_score_time(FlatReader& file, double shift) {
  constexpr const char* kKey = "min_score_timestep";
  if (!file.has(kKey)) return;
  if (file.value_or("ts_schedule", true))
    return file.note(kKey, "",
                     file.has("ts_schedule") ? "its trainer does not read it where ts_schedule is true"
                                             : "its trainer does not read it: ts_schedule is true by default");
  const double least = 1000 * shift_sigma(file.value_or(kKey, 0.0) / 1000, shift);
  set_number(file, "dmd.least_score_time", least, kKey, "after the shift");
}

// The wrapper around every network has a shift of its own, 8 if the file names none; scores take the outer one.
void take_shifts(FlatReader& file, bool has_scores) {
  const auto inner = file.value_or(kNetworkShift, 8.0);
  set_number(file, "schedule.shift", inner, kNetworkShift,
             file.has(kNetworkShift) ? "" : "the default of its networks");
  const auto scores = file.value_or("timestep_shift", 1.0);
  if (!has_scores) {
    if (file.has("timestep_shift")) file.note("timestep_shift", "", "only scores use it, and its trainer has none");
    return;
  }
  if (scores != inner)
    set_number(file, "dmd.score_shift", scores, "timestep_shift", "for the scores only");
  else if (file.has("timestep_shift"))
    file.note("timestep_shift", "schedule.shift", "for the scores: that of the networks");
  take_least_score_time(file, scores);
}

void take_lookup(FlatReader& file) {
  file.set(
      "schedule.sigma_lookup", "nearest_table", "sigma of a timestep",
      "the nearest of 1000 entries, none of which is 0: rollouts of training put .005 of noise on the context; --set "
      "schedule.sigma_lookup=exact does not");
  file.put("schedule.table_size", std::string("1000"));
}

void take_guidance(FlatReader& file, const std::string& stage) {
  const char* key = file.has("real_guidance_scale") ? "real_guidance_scale" : "guidance_scale";
  if (!file.has(key)) return;
  const auto scale = file.value_or(key, 3.0);
  if (stage == "dmd")
    set_number(file, "dmd.guidance", scale, key,
               fmt::format("cond + {0} (cond - uncond), the usual guidance weight of {1}", scale, scale + 1));
  else if (stage == "causal_cd")
    set_number(file, "distil.guidance", scale, key, fmt::format("uncond + {} (cond - uncond)", scale));
  else
    file.note(key, "", "its trainer has no guidance");
  if (key != std::string_view("guidance_scale") && file.has("guidance_scale"))
    file.note("guidance_scale", "", "real_guidance_scale takes precedence");
}

void take_precision(FlatReader& file) {
  if (file.has("mixed_precision"))
    file.set("run.dtype", file.value_or("mixed_precision", true) ? "bfloat16" : "float32", "mixed_precision",
             "for matrix products; master weights and moments are float32");
  if (file.has("gradient_checkpointing"))
    file.set("train.activations", file.value_or("gradient_checkpointing", true) ? "recompute" : "keep",
             "gradient_checkpointing");
}

void take_trainer_defaults(FlatReader& file, const std::string& stage) {
  set_if_missing(file, "weight_decay", "optimiser.weight_decay", "0.01");
  set_if_missing(file, "max_grad_norm_generator", "optimiser.clip_norm", "10");
  if (stage != "dmd") return file.set("data.caption_dropout", "0", "captions", "its trainer leaves none out");
  set_if_missing(file, "ts_schedule", "dmd.score_above_next_step", "true");
  if (file.has("lr"))
    set_if_missing(file, "lr_critic", "critic_optimiser.learning_rate",
                   ConfigValue<double>::write(file.value_or("lr", 0.0)), "as lr, the default of its trainer");
  set_if_missing(file, "weight_decay", "critic_optimiser.weight_decay", "0.01");
  set_if_missing(file, "max_grad_norm_critic", "critic_optimiser.clip_norm", "10");
}

}  // namespace

void take_numerics(FlatReader& file) {
  const std::string stage = flat_stage(file);
  const bool has_training = !is_inference_only(file);
  take_steps(file);
  take_shifts(file, has_training && stage == "dmd");
  take_lookup(file);
  take_guidance(file, stage);
  take_precision(file);
  if (has_training) take_trainer_defaults(file, stage);
}

}  // namespace sgf
