// Given frames at the start of a video: an image, or the end of another video.
#pragma once

#include "sgf/media/fit_pictures.h"
#include "sgf/media/video_codec.h"

#include <filesystem>

namespace sgf {

// An image file, repeated for the first block: [1, first_block, C, H, W].
at::Tensor given_image(const VideoCodec& codec, const std::filesystem::path& file, PictureSize size,
                       int64_t first_block_frames, const at::TensorOptions& options);

// Whole blocks from the end of a video, at most `most_frames` latent frames. Throws if it is too short for one block.
struct GivenBlocks {
  int64_t first_block_frames = 1;
  int64_t block_frames = 1;
  int64_t most_frames = 1;
};
at::Tensor given_video(const VideoCodec& codec, const std::filesystem::path& file, PictureSize size,
                       const GivenBlocks& blocks, const at::TensorOptions& options);

}  // namespace sgf
