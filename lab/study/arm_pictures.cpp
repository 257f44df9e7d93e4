#include "lab/study/arm_pictures.h"

#include "lab/study/stream_prompts.h"
#include "sgf/assembly/codec_and_text.h"
#include "sgf/assembly/networks_from_config.h"
#include "sgf/core/error.h"
#include "sgf/media/picture_strip.h"
#include "sgf/report/html_text.h"
#include "sgf/rollout/sample_video.h"
#include "sgf/streaming/stream_parts.h"
#include "sgf/world/render.h"
#include "sgf/world/source.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include <memory>

namespace sgf {
namespace {

using PictureMaker = std::function<at::Tensor(int64_t first, int64_t count)>;

// Text embeddings of the study's prompts, and the decoder.
struct WorldRoom {
  WorldPreset world;
  std::shared_ptr<const TextEncoder> text;
  std::shared_ptr<const VideoCodec> codec;
  std::vector<std::string> captions;
  c10::Device device;
  at::ScalarType type;

  WorldRoom(const PictureOrder& o, std::vector<std::string> all)
      : world(world_preset(o.config.data.world)),
        text(build_text_encoder(o.config, {.device = o.device})),
        codec(build_codec(o.config, {.device = o.device})),
        captions(std::move(all)),
        device(o.device),
        type(compute_type(o.config)) {}

  at::Tensor rows(int64_t first, int64_t count) const {
    return text->encode({captions.begin() + first, captions.begin() + first + count}).to(device, type);
  }
};

std::array<int64_t, 3> latent_of(const Config& c) { return {c.model.in_dim, c.video.height, c.video.width}; }

LatentStreamSettings stream_settings(const Config& config, const ContextSplit& split) {
  LatentStreamSettings settings = latent_settings({.config = config});
  if (!split.sink) return settings;
  const int64_t window = settings.policy.sink_frames + settings.policy.fifo_frames;
  SGF_CHECK(*split.sink >= 0 && *split.sink <= window,
            "the sink must be between 0 and the window, got {} for a window of {} frames", *split.sink, window);
  settings.policy = {.sink_frames = *split.sink, .fifo_frames = window - *split.sink};
  return settings;
}

PictureMaker student_pictures(const PictureOrder& o, const std::shared_ptr<const WorldRoom>& room) {
  const auto dit = std::make_shared<const CausalDit>(build_network(o.config, o.weights, o.device));
  const LatentStreamSettings settings = stream_settings(o.config, o.split);
  const auto seed = static_cast<uint64_t>(o.study.evaluation().noise_seed);
  return [=, watched = o.watched, on_block = o.on_block](int64_t first, int64_t count) {
    return stream_watched(
        {.dit = *dit,
         .settings = settings,
         .noise = sample_noise(seed, count, settings.latent, at::TensorOptions(at::kFloat).device(room->device), first),
         .text = room->rows(first, count),
         .codec = *room->codec,
         .on_block =
             [&](FrameSpan) {
               if (on_block) on_block();
             }},
        watched);
  };
}

PictureMaker teacher_pictures(const PictureOrder& o, const std::shared_ptr<const WorldRoom>& room) {
  const auto dit = std::make_shared<const CausalDit>(build_teacher(o.config, o.weights, o.device));
  const SamplerSettings sampler{.steps = o.study.evaluation().teacher_steps,
                                .shift = o.config.schedule.shift,
                                .guidance = o.study.evaluation().teacher_guidance};
  const auto seed = static_cast<uint64_t>(o.study.evaluation().noise_seed);
  const at::Tensor negative = room->text->encode({o.config.negative_prompt}).to(room->device, room->type);
  return [=, config = o.config](int64_t first, int64_t count) {
    const at::NoGradGuard no_grad;
    const at::Tensor cond = room->rows(first, count);
    const BlockNoise noise =
        sample_noise(seed, count, latent_of(config), at::TensorOptions(at::kFloat).device(room->device), first);
    const at::Tensor latents =
        sample_bidirectional(*dit, {cond, negative.expand(cond.sizes())}, sampler, noise({0, config.video.frames}, 0));
    return room->codec->decode(latents).clamp(0, 1).to(at::kCPU, at::kFloat);
  };
}

PictureMaker true_pictures(const PictureOrder& o, const std::shared_ptr<const WorldRoom>& room) {
  const auto seed = static_cast<uint64_t>(o.study.evaluation().prompt_seed);
  return [=, watched = o.watched, prompt = o.study.first_prompt()](int64_t first, int64_t count) {
    std::vector<at::Tensor> parts;
    for (const FrameSpan& run : watched.runs()) {
      std::vector<ClipSpan> clips;
      for (int64_t i = 0; i < count; ++i) clips.push_back({draw_scene(room->world, seed, prompt + first + i), run});
      parts.push_back(render(room->world, clips, room->device).to(at::kCPU));
    }
    return at::cat(parts, 1);
  };
}

}  // namespace

ArmPictures::ArmPictures(const PictureOrder& o)
    : captions_(WorldSource(world_preset(o.config.data.world), static_cast<uint64_t>(o.study.evaluation().prompt_seed))
                    .prompts(o.study.first_prompt(), o.study.prompts(o.arm.granularity))) {
  const auto room = std::make_shared<const WorldRoom>(o, captions_);
  if (o.arm.kind == ArmKind::kTruth) {
    make_ = true_pictures(o, room);
  } else if (o.arm.kind == ArmKind::kTeacher) {
    SGF_CHECK(o.watched.video_frames() == o.config.video.frames, "a teacher's videos must have {} frames, got {}",
              o.config.video.frames, o.watched.video_frames());
    make_ = teacher_pictures(o, room);
  } else {
    make_ = student_pictures(o, room);
  }
}

std::string strip_png(const at::Tensor& videos, const WatchedFrames& watched) {
  constexpr int64_t kScale = 2;
  std::vector<int64_t> moments{0};
  for (const FrameSpan& segment : watched.segments()) moments.push_back(segment.end - 1);
  const at::Tensor chosen = videos.index_select(1, at::tensor(moments, at::kLong));
  std::vector<at::Tensor> rows;
  for (int64_t i = 0; i < chosen.size(0); ++i) rows.push_back(chosen[i]);
  return rows.empty() ? "" : encode_base64(encode_png(picture_strip(rows, kScale)));
}

}  // namespace sgf
