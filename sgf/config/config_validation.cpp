// validate: checks across fields. Messages name every key involved, since any of them may be the wrong one.
#include "sgf/config/config.h"
#include "sgf/config/setting_error.h"
#include "sgf/core/checked_size.h"

#include <algorithm>
#include <functional>

namespace sgf {
namespace {

// Keeps sums and products of two counts far from overflow.
constexpr int64_t kLargest = 1'000'000'000;
constexpr int64_t kLargestTable = 1'000'000;  // the whole table is held in memory

void check_count(std::string_view key, int64_t value, int64_t least) {
  SGF_CHECK_SETTING(value >= least && value <= kLargest, "{} must be between {} and {}, got {}", Key{key}, least,
                    kLargest, value);
}

void check_positive(std::string_view key, double value) {
  SGF_CHECK_SETTING(value > 0, "{} must be positive, got {}", Key{key}, value);
}

void check_model(const DitConfig& m) {
  check_count("model.dim", m.dim, 1);
  check_count("model.ffn_dim", m.ffn_dim, 1);
  check_count("model.freq_dim", m.freq_dim, 2);
  check_count("model.text_dim", m.text_dim, 1);
  check_count("model.text_len", m.text_len, 1);
  check_count("model.num_heads", m.num_heads, 1);
  check_count("model.num_layers", m.num_layers, 1);
  check_count("model.in_dim", m.in_dim, 1);
  check_count("model.out_dim", m.out_dim, 1);
  for (const int64_t side : m.patch_size) check_count("model.patch_size", side, 1);
  check_positive("model.eps", m.eps);
  SGF_CHECK_SETTING(m.freq_dim % 2 == 0, "{} must be even (half cosines, half sines), got {}", Key{"model.freq_dim"},
                    m.freq_dim);
}

void check_heads(const DitConfig& m) {
  SGF_CHECK_SETTING(m.dim % m.num_heads == 0, "{} must divide {}, got {} heads for dim {}", Key{"model.num_heads"},
                    Key{"model.dim"}, m.num_heads, m.dim);
  // RoPE rotates pairs, and gives height and width a sixth of them each.
  const int64_t head_width = m.dim / m.num_heads;
  SGF_CHECK_SETTING(head_width >= 6 && head_width % 2 == 0,
                    "{} / {} must be even and at least 6 for RoPE, got {} / {} = {}", Key{"model.dim"},
                    Key{"model.num_heads"}, m.dim, m.num_heads, head_width);
}

// Latent pixels of a whole video: 2^40 floats of 16 channels are 64 TiB, and no product with them overflows.
constexpr int64_t kMostPlaces = int64_t{1} << 40;

void check_video(const VideoSettings& v) {
  check_count("video.frames", v.frames, 1);
  check_count("video.height", v.height, 1);
  check_count("video.width", v.width, 1);
  const std::optional<int64_t> places = checked_product({v.frames, v.height, v.width});
  SGF_CHECK_SETTING(places && *places <= kMostPlaces, "{} x {} x {} must be at most {} latent pixels, got {} x {} x {}",
                    Key{"video.frames"}, Key{"video.height"}, Key{"video.width"}, kMostPlaces, v.frames, v.height,
                    v.width);
  check_positive("video.fps", v.fps);
}

void check_patches(const Config& c) {
  const auto [frames, rows, columns] = c.model.patch_size;
  SGF_CHECK_SETTING(c.video.height % rows == 0, "{} must divide {}, got {} rows per patch of {}",
                    Key{"model.patch_size"}, Key{"video.height"}, rows, c.video.height);
  SGF_CHECK_SETTING(c.video.width % columns == 0, "{} must divide {}, got {} columns per patch of {}",
                    Key{"model.patch_size"}, Key{"video.width"}, columns, c.video.width);
  const int64_t block = c.context.block_frames;
  const int64_t first = c.context.first_block_frames.value_or(block);
  SGF_CHECK_SETTING(block % frames == 0 && first % frames == 0,
                    "{} must divide {} and first_block_frames, got {} frames per patch of {} and {}",
                    Key{"model.patch_size"}, Key{"context.block_frames"}, frames, block, first);
}

void check_context(const ContextSettings& c) {
  check_count("context.sink_frames", c.sink_frames, 0);
  check_count("context.fifo_frames", c.fifo_frames, 0);
  check_count("context.block_frames", c.block_frames, 1);
  check_count("context.train_frames", c.train_frames, 1);
  if (c.first_block_frames) check_count("context.first_block_frames", *c.first_block_frames, 1);
}

// With top_aligned the window ends at the last trained position, and must not overlap the sink.
void check_positions(const ContextSettings& c) {
  if (c.positions != PositionKind::kTopAligned) return;
  SGF_CHECK_SETTING(
      c.sink_frames + c.fifo_frames + c.block_frames <= c.train_frames,
      "{} top_aligned needs sink_frames + fifo_frames + block_frames of at most {}, got {} + {} + {} of {}",
      Key{"context.positions"}, Key{"context.train_frames"}, c.sink_frames, c.fifo_frames, c.block_frames,
      c.train_frames);
  SGF_CHECK_SETTING(c.first_block_frames.value_or(1) <= c.train_frames,
                    "{} top_aligned needs first_block_frames of at most {}, got {} of {}", Key{"context.positions"},
                    Key{"context.train_frames"}, c.first_block_frames.value_or(1), c.train_frames);
}

void check_uneven_blocks(int64_t frames, int64_t first, int64_t block) {
  SGF_CHECK_SETTING(first <= frames, "{} must be at most {}, got {} of {}", Key{"context.first_block_frames"},
                    Key{"video.frames"}, first, frames);
  SGF_CHECK_SETTING((frames - first) % block == 0, "{} must divide {} minus {}, got blocks of {} in {} - {}",
                    Key{"context.block_frames"}, Key{"video.frames"}, Key{"context.first_block_frames"}, block, frames,
                    first);
}

void check_blocks(const Config& c) {
  const int64_t frames = c.video.frames;
  const int64_t block = c.context.block_frames;
  if (c.context.first_block_frames) return check_uneven_blocks(frames, *c.context.first_block_frames, block);
  SGF_CHECK_SETTING(frames % block == 0, "{} must divide {}, got blocks of {} in {}; set {} to {}",
                    Key{"context.block_frames"}, Key{"video.frames"}, block, frames, Key{"context.first_block_frames"},
                    frames % block);
}

void check_sink(const Config& c) {
  SGF_CHECK_SETTING(c.context.sink_frames < c.video.frames, "{} must be less than {}, got {} of {}",
                    Key{"context.sink_frames"}, Key{"video.frames"}, c.context.sink_frames, c.video.frames);
}

void check_steps(const char* key, const std::vector<double>& steps) {
  for (const double step : steps)
    SGF_CHECK_SETTING(step > 0 && step <= 1000, "{} must be above 0 and at most 1000, got {}", Key{key}, step);
  const auto rise = std::adjacent_find(steps.begin(), steps.end(), std::less_equal<>());
  SGF_CHECK_SETTING(rise == steps.end(), "{} must decrease from noise to clean, got {}", Key{key},
                    ConfigValue<std::vector<double>>::write(steps));
}

void check_schedule(const ScheduleSettings& s) {
  check_positive("schedule.shift", s.shift);
  check_count("schedule.table_size", s.table_size, 1);
  SGF_CHECK_SETTING(s.table_size <= kLargestTable, "{} must be at most {}, got {}", Key{"schedule.table_size"},
                    kLargestTable, s.table_size);
  SGF_CHECK_SETTING(!s.denoising_steps.empty(), "{} must hold at least one step, got none",
                    Key{"schedule.denoising_steps"});
  check_steps("schedule.denoising_steps", s.denoising_steps);
  check_steps("schedule.first_block_steps", s.first_block_steps);
}

void check_run(const RunSettings& r) {
  check_count("run.threads", r.threads, 0);
  SGF_CHECK_SETTING(r.seed >= 0, "{} must not be negative, got {}", Key{"run.seed"}, r.seed);
  const bool is_cudnn = r.attention == AttentionBackend::kCudnn;
  SGF_CHECK_SETTING(!is_cudnn || r.device != DeviceKind::kCpu, "{} cudnn needs a GPU, got {} cpu", Key{"run.attention"},
                    Key{"run.device"});
  const bool is_fused_on_gpu = is_cudnn || (r.attention == AttentionBackend::kFlash && r.device == DeviceKind::kCuda);
  SGF_CHECK_SETTING(!is_fused_on_gpu || r.dtype == ComputeDtype::kBFloat16, "{} {} needs {} bfloat16, got {}",
                    Key{"run.attention"}, enum_name(r.attention), Key{"run.dtype"}, enum_name(r.dtype));
}

// --- training ---

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
  for (const std::string& prompt : o.sample_prompts)
    SGF_CHECK_SETTING(prompt.find_first_not_of(" \t\r\n") != std::string::npos,
                      "{}: a prompt must contain at least one word, got '{}'", Key{"output.sample_prompts"}, prompt);
}

void validate_training(const Config& config) {
  check_train(config.train);
  check_optimiser("optimiser", config.optimiser);
  check_optimiser("critic_optimiser", config.critic_optimiser);
  check_dmd(config.dmd);
  check_distil(config.distil);
  check_share("data.caption_dropout", config.data.caption_dropout);
  check_output(config.output);
}

}  // namespace

void check_name(std::string_view key, const std::string& name) {
  SGF_CHECK_SETTING(
      name.find('/') == std::string::npos && name != "." && name != "..",
      "{} also names a folder, so it must not contain '/' or be '.' or '..', got '{}'; use --out for the place",
      Key{key}, name);
}

void validate(const Config& config) {
  check_name("name", config.name);
  check_model(config.model);
  check_heads(config.model);
  check_context(config.context);
  check_video(config.video);
  check_patches(config);
  check_blocks(config);
  check_sink(config);
  check_positions(config.context);
  check_schedule(config.schedule);
  check_run(config.run);
  validate_training(config);
}

}  // namespace sgf
