#include "sgf/streaming/given_frames.h"

#include "sgf/core/error.h"
#include "sgf/media/frame_source.h"
#include "sgf/media/video_tensor.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include <deque>

namespace sgf {
namespace {

RgbImage read_picture(const std::filesystem::path& file) {
  SGF_CHECK(std::filesystem::exists(file), "{}: no such image", file.string());
  SGF_CHECK(!std::filesystem::is_directory(file), "{} is a folder, expected an image file", file.string());
  if (is_png(file)) return read_png(file);
  const std::unique_ptr<FrameSource> source = open_frames(file);
  std::optional<RgbImage> image = source->next();
  SGF_CHECK(image.has_value(), "{}: holds no image", file.string());
  return std::move(*image);
}

// The number of latent frames in the most whole blocks that fit; 0 if none fits.
int64_t whole_blocks(int64_t latents, const GivenBlocks& blocks) {
  if (latents < blocks.first_block_frames) return 0;
  return blocks.first_block_frames + (latents - blocks.first_block_frames) / blocks.block_frames * blocks.block_frames;
}

}  // namespace

at::Tensor given_image(const VideoCodec& codec, const std::filesystem::path& file, PictureSize size,
                       int64_t first_block_frames, const at::TensorOptions& options) {
  const at::NoGradGuard no_grad;
  const at::Tensor picture = fit_pictures(tensor_of(read_picture(file)).unsqueeze(0), size);
  const int64_t times = codec.picture_frames(first_block_frames);
  return codec.encode(picture.expand({times, -1, -1, -1}).unsqueeze(0).to(options));
}

at::Tensor given_video(const VideoCodec& codec, const std::filesystem::path& file, PictureSize size,
                       const GivenBlocks& blocks, const at::TensorOptions& options) {
  const at::NoGradGuard no_grad;
  const int64_t most = codec.picture_frames(whole_blocks(blocks.most_frames, blocks));
  const std::unique_ptr<FrameSource> source = open_frames(file);
  std::deque<at::Tensor> last;  // frames, at most the requested number
  while (const std::optional<RgbImage> image = source->next()) {
    last.push_back(fit_pictures(tensor_of(*image).unsqueeze(0), size));
    if (static_cast<int64_t>(last.size()) > most) last.pop_front();
  }
  const auto found = static_cast<int64_t>(last.size());
  const int64_t latents = found == 0 ? 0 : whole_blocks(codec.latent_frames(found), blocks);
  SGF_CHECK(latents > 0, "{}: a video to continue from needs at least {} frames, got {}", file.string(),
            codec.picture_frames(blocks.first_block_frames), found);
  const int64_t used = codec.picture_frames(latents);
  const std::vector<at::Tensor> pictures(last.end() - used, last.end());
  return codec.encode(at::cat(pictures).unsqueeze(0).to(options));
}

}  // namespace sgf
