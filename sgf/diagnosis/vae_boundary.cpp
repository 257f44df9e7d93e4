#include "sgf/diagnosis/vae_boundary.h"

#include "sgf/core/error.h"

#include <ATen/ATen.h>

namespace sgf {
namespace {

// The last latent frame of frames [begin, end of video).
at::Tensor last_latent(const WanVaeCodec& codec, const at::Tensor& video, int64_t begin) {
  return codec.encode(video.narrow(1, begin, video.size(1) - begin)).select(1, -1).to(at::kDouble);
}

}  // namespace

std::vector<BoundaryRow> measure_vae_boundary(const WanVaeCodec& codec, const at::Tensor& video, int64_t windows) {
  const int64_t group = codec.vae().config().group_pictures(), frames = video.size(1);
  SGF_CHECK(frames % group == 1 && frames >= 1 + group * windows,
            "{} windows need a video of a multiple of {} plus 1 frames, at least {}, got {}", windows, group,
            1 + group * windows, frames);
  const at::Tensor reference = last_latent(codec, video, 0);
  const auto row = [&](const std::string& name, int64_t begin) {
    const at::Tensor difference = last_latent(codec, video, begin) - reference;
    return BoundaryRow{name, begin, frames, (difference.norm() / reference.norm()).item<double>()};
  };
  std::vector<BoundaryRow> rows{row("fresh", frames - group)};
  for (int64_t w = 0; w < windows; ++w) rows.push_back(row("W=" + std::to_string(w), frames - group * (w + 1) - 1));
  return rows;
}

}  // namespace sgf
