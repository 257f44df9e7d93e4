#include "sgf/config/flat_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "sgf/core/error.h"

namespace sgf {
namespace {

constexpr const char *kShape = "image_or_video_shape", *kFrames = "num_training_frames";
constexpr const char *kWindow = "model_kwargs.local_attn_size", *kSink = "model_kwargs.sink_size";
constexpr int64_t kTheirFrames = 21;
constexpr int64_t kMostFrames = 1'000'000'000;  // so that sums of frames stay numbers

// In latent frames; `window` is -1 for all history.
struct Window {
  int64_t sink = 0;
  int64_t window = -1;
  int64_t block = 1;
  int64_t trained = kTheirFrames;
};

// A number of frames, which may be missing or -1.
int64_t frames_or(const FlatReader& file, std::string_view key, int64_t otherwise) {
  const auto frames = file.value_or<int64_t>(key, otherwise);
  SGF_CHECK(-1 <= frames && frames <= kMostFrames, "{}: {} must be a number of frames, at most {}, got {}",
            file.origin_of(key).where(), key, kMostFrames, frames);
  return frames;
}

// LongLive scores the end of a long rollout, as many frames as a short one has.
int64_t frames_of_a_piece(const FlatReader& file) {
  const int64_t frames = frames_or(file, "slice_last_frames", kTheirFrames);
  return frames == -1 ? kTheirFrames : frames;
}

int64_t trained_frames(const FlatReader& file) {
  if (file.value_or("streaming_training", false)) return frames_of_a_piece(file);
  const std::vector<int64_t> shape = file.value_or(kShape, std::vector<int64_t>{1, kTheirFrames});
  return frames_or(file, kFrames, shape[1]);
}

// LongLive can train on the end of a longer rollout.
void check_whole_rollout(const FlatReader& file, std::string_view key, int64_t frames) {
  const int64_t part = frames_or(file, key, frames);
  SGF_CHECK(part == frames || (key == "slice_last_frames" && part == -1),
            "{}: {} {} is not supported: every rollout has the {} frames that are trained; set it to {}",
            file.origin_of(key).where(), key, part, frames, frames);
}

Window read_window(const FlatReader& file) {
  return {.sink = frames_or(file, kSink, 0),
          .window = frames_or(file, kWindow, -1),
          .block = frames_or(file, "num_frame_per_block", 1),
          .trained = trained_frames(file)};
}

int64_t fifo_of(const Window& w, bool counts_sink) {
  if (w.window == -1) return std::max<int64_t>(w.trained - w.sink - w.block, 0);
  return w.window - w.block - (counts_sink ? w.sink : 0);
}

std::string remark_of(const Window& w, bool counts_sink) {
  if (w.window == -1) return "all history of the trained frames";
  if (w.sink <= 0) return "local_attn_size counts the window and the block";
  const int64_t other = std::max<int64_t>(fifo_of(w, !counts_sink), 0);
  if (counts_sink)
    return fmt::format(
        "local_attn_size counts the sink, the window and the block, as in Self-Forcing's inference, LongLive and "
        "FastVideo; where it leaves the sink out, as in Self Gradient Forcing: --set context.fifo_frames={}",
        other);
  return fmt::format(
      "local_attn_size counts the window and the block, not the sink, as in Self Gradient Forcing; where it counts the "
      "sink too, as in Self-Forcing, LongLive and FastVideo: --set context.fifo_frames={}",
      other);
}

void check_window(const FlatReader& file, const Window& w, bool counts_sink) {
  const int64_t least = w.block + (counts_sink ? w.sink : 0);
  SGF_CHECK(
      w.window == -1 || w.window >= least,
      "{}: model_kwargs.local_attn_size must be -1 or at least a block{}, {}, got {} with blocks of {} and a sink "
      "of {}",
      file.origin_of(kWindow).where(), counts_sink ? " and the sink" : "", least, w.window, w.block, w.sink);
}

// The order of frames in long streams; training uses absolute positions.
void take_positions(FlatReader& file) {
  constexpr const char* kRelative = "model_kwargs.use_infinite_attention";
  const bool is_release = is_self_gradient_forcing(file);
  const char* rule = file.value_or(kRelative, false) ? "contiguous" : is_release ? "top_aligned" : "absolute";
  file.set("context.positions", rule, file.has(kRelative) ? kRelative : "positions",
           is_release ? "of long streams, as in the release's script" : "of long streams, as in its inference");
}

}  // namespace

bool is_self_gradient_forcing(const FlatReader& file) {
  constexpr std::array kMarks = {"grad_mode", "cache_mode", "self_gradient_forcing_cache_mode", "per_rank_exit_step",
                                 "self_gradient_forcing_match_context"};
  return std::any_of(kMarks.begin(), kMarks.end(), [&](const char* key) { return file.has(key); }) ||
         file.value_or<std::string>("trainer", "") == "self_gradient_forcing";
}

void take_sizes(FlatReader& file) {
  const std::vector<int64_t> shape = file.value_or(kShape, std::vector<int64_t>{});
  if (file.has(kShape)) {
    SGF_CHECK(shape.size() == 5, "{}: image_or_video_shape expects [B, F, C, H, W], got {} numbers",
              file.origin_of(kShape).where(), shape.size());
    file.set("video.frames", std::to_string(file.trains() ? shape[1] : trained_frames(file)), kShape,
             "latent frames; the batch in it is not used");
    file.set("model.in_dim", std::to_string(shape[2]), kShape);
    file.set("model.out_dim", std::to_string(shape[2]), kShape);
    file.set("video.height", std::to_string(shape[3]), kShape);
    file.set("video.width", std::to_string(shape[4]), kShape);
  }
  const int64_t frames = trained_frames(file);
  if (!file.trains()) return;
  SGF_CHECK(shape.empty() || frames == shape[1],
            "{}: num_training_frames {} must equal the {} frames of image_or_video_shape: rollouts longer than the "
            "trained video are not supported; set both to {}",
            file.origin_of(kFrames).where(), frames, shape.empty() ? frames : shape[1], kTheirFrames);
  if (file.has(kFrames)) file.set("video.frames", std::to_string(frames), kFrames);
  check_whole_rollout(file, "min_num_training_frames", frames);
  check_whole_rollout(file, "slice_last_frames", frames);
}

void take_window(FlatReader& file) {
  const Window w = read_window(file);
  const bool counts_sink = !is_self_gradient_forcing(file);
  check_window(file, w, counts_sink);
  file.set("context.block_frames", std::to_string(w.block), "num_frame_per_block");
  file.set("context.sink_frames", std::to_string(w.sink), kSink);
  file.set("context.fifo_frames", std::to_string(fifo_of(w, counts_sink)), kWindow, remark_of(w, counts_sink));
  file.set("context.train_frames", std::to_string(w.trained), file.has(kFrames) ? kFrames : kShape);
  take_positions(file);
  if (file.value_or("independent_first_frame", false))
    file.set("context.first_block_frames", "1", "independent_first_frame");
}

}  // namespace sgf
