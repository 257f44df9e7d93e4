#include "lab/study/stream_prompts.h"

#include "sgf/core/error.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

namespace sgf {

at::Tensor stream_watched(const PromptStream& stream, const WatchedFrames& watched) {
  const at::NoGradGuard no_grad;
  SGF_CHECK(stream.codec.picture_frames(2) == 2,
            "the codec of a study must have one frame per latent frame, got {} frames for 2",
            stream.codec.picture_frames(2));
  const int64_t size = stream.settings.latent[1] * stream.codec.spatial_factor();
  const int64_t width = stream.settings.latent[2] * stream.codec.spatial_factor();
  at::Tensor pictures =
      at::empty({stream.text.size(0), std::ssize(watched.frames()), 3, size, width}, at::TensorOptions(at::kFloat));
  LatentStream latents(stream.dit, stream.settings, stream.noise, {stream.text, {}});
  while (latents.next_block().begin < watched.video_frames()) {
    const FrameSpan block = latents.next_block();
    const at::Tensor clean = latents.next();
    const FrameSpan places = watched.places_in(block);
    for (int64_t place = places.begin; place < places.end; ++place) {
      const int64_t frame = watched.frames()[static_cast<size_t>(place)] - block.begin;
      pictures.select(1, place).copy_(stream.codec.decode(clean.narrow(1, frame, 1)).select(1, 0).clamp(0, 1));
    }
    if (stream.on_block) stream.on_block(block);
  }
  return pictures;
}

}  // namespace sgf
