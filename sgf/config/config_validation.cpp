// validate: what no single field can tell. Messages name every key that takes part, since either may be the wrong one.
#include <algorithm>
#include <functional>

#include "sgf/config/config.h"
#include "sgf/config/train_config_validation.h"
#include "sgf/core/checked_size.h"
#include "sgf/core/error.h"

namespace sgf {
namespace {

// Keeps sums and products of two counts far from overflow.
constexpr int64_t kLargest = 1'000'000'000;

void check_count(std::string_view key, int64_t value, int64_t least) {
  SGF_CHECK(value >= least && value <= kLargest, "{} must lie in {}..{}, got {}", key, least, kLargest, value);
}

void check_positive(std::string_view key, double value) {
  SGF_CHECK(value > 0, "{} must be positive, got {}", key, value);
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
  SGF_CHECK(m.freq_dim % 2 == 0, "model.freq_dim must be even, half cosines and half sines, got {}", m.freq_dim);
}

void check_heads(const DitConfig& m) {
  SGF_CHECK(m.dim % m.num_heads == 0, "model.num_heads must divide model.dim, got {} heads for dim {}", m.num_heads,
            m.dim);
  // RoPE turns pairs, and gives height and width a sixth of them each.
  const int64_t head_width = m.dim / m.num_heads;
  SGF_CHECK(head_width >= 6 && head_width % 2 == 0,
            "model.dim / model.num_heads must be even and at least 6 for RoPE, got {} / {} = {}", m.dim, m.num_heads,
            head_width);
}

// Latent pixels of a whole video: 2^40 floats of 16 channels are 64 TiB, and no product with them overflows.
constexpr int64_t kMostPlaces = int64_t{1} << 40;

void check_video(const VideoSettings& v) {
  check_count("video.frames", v.frames, 1);
  check_count("video.height", v.height, 1);
  check_count("video.width", v.width, 1);
  const std::optional<int64_t> places = checked_product({v.frames, v.height, v.width});
  SGF_CHECK(places && *places <= kMostPlaces,
            "video.frames x video.height x video.width must be at most {} latent pixels, got {} x {} x {}", kMostPlaces,
            v.frames, v.height, v.width);
  check_positive("video.fps", v.fps);
}

void check_patches(const Config& c) {
  const auto [frames, rows, columns] = c.model.patch_size;
  SGF_CHECK(c.video.height % rows == 0, "model.patch_size must divide video.height, got {} rows a patch of {}", rows,
            c.video.height);
  SGF_CHECK(c.video.width % columns == 0, "model.patch_size must divide video.width, got {} columns a patch of {}",
            columns, c.video.width);
  const int64_t block = c.context.block_frames;
  const int64_t first = c.context.first_block_frames.value_or(block);
  SGF_CHECK(
      block % frames == 0 && first % frames == 0,
      "model.patch_size must divide context.block_frames and first_block_frames, got {} frames a patch of {} and {}",
      frames, block, first);
}

void check_context(const ContextSettings& c) {
  check_count("context.sink_frames", c.sink_frames, 0);
  check_count("context.fifo_frames", c.fifo_frames, 0);
  check_count("context.block_frames", c.block_frames, 1);
  check_count("context.train_frames", c.train_frames, 1);
  if (c.first_block_frames) check_count("context.first_block_frames", *c.first_block_frames, 1);
}

// Under top_aligned the window runs back from the last trained position, and must not run into the sink.
void check_positions(const ContextSettings& c) {
  if (c.positions != PositionKind::kTopAligned) return;
  SGF_CHECK(c.sink_frames + c.fifo_frames + c.block_frames <= c.train_frames,
            "context.positions top_aligned needs sink_frames + fifo_frames + block_frames within context.train_frames, "
            "got {} + {} + {} of {}",
            c.sink_frames, c.fifo_frames, c.block_frames, c.train_frames);
  SGF_CHECK(c.first_block_frames.value_or(1) <= c.train_frames,
            "context.positions top_aligned needs first_block_frames within context.train_frames, got {} of {}",
            c.first_block_frames.value_or(1), c.train_frames);
}

void check_uneven_blocks(int64_t frames, int64_t first, int64_t block) {
  SGF_CHECK(first <= frames, "context.first_block_frames must fit in video.frames, got {} of {}", first, frames);
  SGF_CHECK(
      (frames - first) % block == 0,
      "context.block_frames must divide video.frames less context.first_block_frames, got blocks of {} in {} - {}",
      block, frames, first);
}

void check_blocks(const Config& c) {
  const int64_t frames = c.video.frames;
  const int64_t block = c.context.block_frames;
  if (c.context.first_block_frames) return check_uneven_blocks(frames, *c.context.first_block_frames, block);
  SGF_CHECK(
      frames % block == 0,
      "context.block_frames must divide video.frames, got blocks of {} in {}; context.first_block_frames {} would fit",
      block, frames, frames % block);
}

void check_sink(const Config& c) {
  SGF_CHECK(c.context.sink_frames < c.video.frames,
            "context.sink_frames must leave room in video.frames, got sink {} of {}", c.context.sink_frames,
            c.video.frames);
}

void check_schedule(const ScheduleSettings& s) {
  check_positive("schedule.shift", s.shift);
  check_count("schedule.table_size", s.table_size, 1);
  SGF_CHECK(!s.denoising_steps.empty(), "schedule.denoising_steps must name at least one step, got none");
  for (const double step : s.denoising_steps) {
    SGF_CHECK(step > 0 && step <= 1000, "schedule.denoising_steps must lie in (0, 1000], got {}", step);
  }
  const auto rise = std::adjacent_find(s.denoising_steps.begin(), s.denoising_steps.end(), std::less_equal<>());
  SGF_CHECK(rise == s.denoising_steps.end(), "schedule.denoising_steps must fall from noise to clean, got {}",
            ConfigValue<std::vector<double>>::write(s.denoising_steps));
}

void check_run(const RunSettings& r) {
  check_count("run.threads", r.threads, 0);
  SGF_CHECK(r.seed >= 0, "run.seed must not be negative, got {}", r.seed);
  const bool is_cudnn = r.attention == AttentionBackend::kCudnn;
  SGF_CHECK(!is_cudnn || r.device != DeviceKind::kCpu, "run.attention cudnn needs a GPU, got run.device cpu");
  const bool is_fused_on_gpu = is_cudnn || (r.attention == AttentionBackend::kFlash && r.device == DeviceKind::kCuda);
  SGF_CHECK(!is_fused_on_gpu || r.dtype == ComputeDtype::kBFloat16, "run.attention {} needs run.dtype bfloat16, got {}",
            enum_name(r.attention), enum_name(r.dtype));
}

}  // namespace

void check_name(std::string_view key, const std::string& name) {
  SGF_CHECK(name.find('/') == std::string::npos && name != "." && name != "..",
            "{} is that of a folder too, so it has no '/' and is not '.' or '..', got '{}'; --out names a place", key,
            name);
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
