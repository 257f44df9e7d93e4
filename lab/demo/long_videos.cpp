#include "lab/demo/long_videos.h"

#include "lab/study/segment_scores.h"
#include "lab/study/stream_prompts.h"
#include "sgf/assembly/codec_and_text.h"
#include "sgf/assembly/networks_from_config.h"
#include "sgf/core/error.h"
#include "sgf/streaming/stream_parts.h"
#include "sgf/world/caption.h"
#include "sgf/world/measure.h"
#include "sgf/world/render.h"
#include "sgf/world/source.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <functional>
#include <numeric>

namespace sgf {
namespace {

// Of prompts, true clips and noise: no run and no study draws with it.
constexpr uint64_t kDemoSeed = 70001;

WatchedFrames all_frames(const Config& config, int64_t frames) {
  const int64_t trained = config.video.frames;
  SGF_CHECK(frames > 0 && frames % trained == 0,
            "--frames must be a multiple of the trained length, {} latent frames, got {}; the next is {}", trained,
            frames, (frames + trained - 1) / trained * trained);
  std::vector<int64_t> lengths(static_cast<size_t>(frames / trained));
  std::iota(lengths.begin(), lengths.end(), 1);
  return {trained, std::min(config.context.train_frames, trained), lengths};
}

}  // namespace

LongVideos::LongVideos(const Config& config, int64_t frames, int64_t prompts, c10::Device device)
    : config_(config),
      device_(device),
      world_(world_preset(config.data.world)),
      watched_(all_frames(config, frames)),
      prompts_(WorldSource(world_, kDemoSeed).prompts(0, prompts)) {}

at::Tensor LongVideos::of_student(const std::string& weights, ProgressMode progress,
                                  const ProgressOutput& output) const {
  const CausalDit dit = build_network(config_, weights, device_);
  const std::shared_ptr<const VideoCodec> codec = build_codec(config_, {.device = device_});
  const std::shared_ptr<const TextEncoder> text = build_text_encoder(config_, {.device = device_});
  const LatentStreamSettings settings = latent_settings({.config = config_});
  ProgressLine line({.mode = progress, .total_steps = watched_.video_frames(), .unit = "frame"}, output);
  const at::Tensor videos =
      stream_watched({.dit = dit,
                      .settings = settings,
                      .noise = sample_noise(kDemoSeed, std::ssize(prompts_), settings.latent,
                                            at::TensorOptions(at::kFloat).device(device_)),
                      .text = text->encode(prompts_).to(device_, compute_type(config_)),
                      .codec = *codec,
                      .on_block = [&](FrameSpan block) { line.show({.step = block.end, .numbers = {}}); }},
                     watched_);
  line.finish();
  return videos;
}

at::Tensor LongVideos::of_world() const {
  std::vector<ClipSpan> clips;
  for (int64_t i = 0; i < std::ssize(prompts_); ++i)
    clips.push_back({draw_scene(world_, kDemoSeed, i), {0, watched_.video_frames()}});
  return render(world_, clips);
}

ScoreTable LongVideos::measure_all(const at::Tensor& videos, int64_t threads) const {
  MeasuringPool pool({.world = world_,
                      .captions = prompts_,
                      .watched = watched_,
                      .window_frames = std::min(config_.context.train_frames, config_.video.frames),
                      .threads = threads});
  pool.add(0, videos);
  return pool.finish();
}

std::vector<FrameMark> LongVideos::mark_frames(const at::Tensor& video, size_t prompt) const {
  std::vector<FrameMark> marks;
  for (const FrameScore& frame : measure_frames(video, parse_caption(prompts_.at(prompt)), world_)) {
    const bool is_complete = std::ranges::all_of(frame.present, std::identity());
    marks.push_back(frame.valid ? FrameMark::kValid : is_complete ? FrameMark::kOther : FrameMark::kObjectLost);
  }
  return marks;
}

}  // namespace sgf
