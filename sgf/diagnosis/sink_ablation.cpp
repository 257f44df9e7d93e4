#include "sgf/diagnosis/sink_ablation.h"

#include "sgf/assembly/codec_and_text.h"
#include "sgf/assembly/conditioning.h"
#include "sgf/assembly/networks_from_config.h"
#include "sgf/core/error.h"
#include "sgf/diagnosis/diagnosis_setup.h"
#include "sgf/streaming/latent_stream.h"
#include "sgf/world/caption.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

namespace sgf {
namespace {

constexpr int64_t kFirstPrompt = int64_t{1} << 41;  // numbers of prompts that no run of this seed trains on

LatentStreamSettings split_window(const Config& c, int64_t sink) {
  const int64_t window = c.context.sink_frames + c.context.fifo_frames;
  return {.policy = {.sink_frames = sink, .fifo_frames = window - sink},
          .positions = c.context.position_rule(),
          .block_frames = c.context.block_frames,
          .first_block_frames = c.context.first_block(),
          .timesteps = c.schedule.timesteps(),
          .latent = {c.model.in_dim, c.video.height, c.video.width},
          .sigma = c.schedule.sigma_rule(),
          .first_timesteps = c.schedule.first_block_timesteps()};
}

double mean_square_step(const at::Tensor& latents) { return latents.diff(1, 1).square().mean().item<double>(); }

LatentDrift drift_of(const at::Tensor& latents, int64_t window) {  // [1, F, C, H, W]
  const at::Tensor begin = latents.slice(1, 0, window), end = latents.slice(1, -window);
  const at::Tensor shift = end.mean(at::IntArrayRef{0, 1, 3, 4}) - begin.mean(at::IntArrayRef{0, 1, 3, 4});
  return {.mean_shift = shift.square().mean().sqrt().item<double>(),
          .spread_ratio = (end.std() / begin.std()).item<double>(),
          .motion_ratio = mean_square_step(end) / mean_square_step(begin)};
}

void add(LatentDrift& sum, const LatentDrift& one, double share) {
  sum.mean_shift += one.mean_shift * share;
  sum.spread_ratio += one.spread_ratio * share;
  sum.motion_ratio += one.motion_ratio * share;
}

// The streams of one ablation, with the same prompts and noise for every sink.
class Streams {
 public:
  explicit Streams(const SinkAblation& ablation)
      : a_(ablation), run_(ablation.config, ablation.weights, ablation.device) {
    if (a_.config.data.world.empty()) return;
    world_ = world_preset(a_.config.data.world);
    text_ = build_text_encoder(a_.config, {});
    codec_ = build_codec(a_.config, {});
    captions_ = world_prompts(a_.config, kFirstPrompt, a_.streams);
  }

  SinkRow row(int64_t sink, const std::function<void()>& done) const {
    const LatentStreamSettings settings = split_window(a_.config, sink);
    SinkRow row{.sink = sink, .fifo = settings.policy.fifo_frames};
    std::vector<SegmentScore> first, last;
    for (int64_t i = 0; i < a_.streams; ++i) {
      const at::Tensor latents = stream(settings, i);
      add(row.drift, drift_of(latents, window()), 1.0 / static_cast<double>(a_.streams));
      if (world_) measure_into(latents, i, first, last);
      done();
    }
    if (world_) row.first = mean_score(first), row.last = mean_score(last);
    return row;
  }

 private:
  int64_t window() const {
    return a_.config.context.sink_frames + a_.config.context.fifo_frames + a_.config.context.block_frames;
  }

  at::Tensor text(int64_t i) const {
    if (!world_) return run_.text(i, 1);
    return text_->encode({captions_[static_cast<size_t>(i)]}).to(a_.device, compute_type(a_.config));
  }

  at::Tensor stream(const LatentStreamSettings& settings, int64_t i) const {
    const BlockNoise noise = sample_noise(static_cast<uint64_t>(a_.config.run.seed), 1, settings.latent,
                                          at::TensorOptions(at::kFloat).device(a_.device), i);
    LatentStream latents(run_.dit(), settings, noise, {text(i), {}});
    std::vector<at::Tensor> blocks;
    while (latents.next_block().end <= a_.frames) blocks.push_back(latents.next().to(at::kCPU, at::kFloat));
    return at::cat(blocks, 1);
  }

  void measure_into(const at::Tensor& latents, int64_t i, std::vector<SegmentScore>& first,
                    std::vector<SegmentScore>& last) const {
    const at::Tensor video = codec_->decode(latents)[0].clamp(0, 1);
    const WorldScore score =
        measure(video, parse_caption(captions_[static_cast<size_t>(i)]), *world_, {.segment_frames = window()});
    first.push_back(score.segments.front());
    last.push_back(score.segments.back());
  }

  const SinkAblation& a_;
  DiagnosisSetup run_;
  std::optional<WorldPreset> world_;
  std::shared_ptr<const TextEncoder> text_;  // of the world
  std::shared_ptr<const VideoCodec> codec_;
  std::vector<std::string> captions_;
};

}  // namespace

std::vector<SinkRow> run_sink_ablation(const SinkAblation& ablation, const std::function<void(int64_t)>& done) {
  const at::NoGradGuard no_grad;
  const ContextSettings& c = ablation.config.context;
  const int64_t window = c.sink_frames + c.fifo_frames;
  for (const int64_t sink : ablation.sinks)
    SGF_CHECK(sink >= 0 && sink <= window,
              "the sink must be between 0 and the window, got {} for a window of {} frames", sink, window);
  SGF_CHECK(ablation.frames >= 2 * (window + c.block_frames),
            "streams of {} latent frames are too short: their first and last {} frames are compared", ablation.frames,
            window + c.block_frames);
  const Streams streams(ablation);
  std::vector<SinkRow> rows;
  int64_t count = 0;
  for (const int64_t sink : ablation.sinks) rows.push_back(streams.row(sink, [&] { done(++count); }));
  return rows;
}

}  // namespace sgf
