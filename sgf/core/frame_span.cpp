#include "sgf/core/frame_span.h"

#include "sgf/core/error.h"

namespace sgf {

BlockLayout::BlockLayout(int64_t frames, int64_t block_frames, int64_t first_block_frames)
    : frames_(frames), block_frames_(block_frames), first_block_frames_(first_block_frames) {
  SGF_CHECK(block_frames > 0 && first_block_frames > 0, "frames per block must be at least 1, got {} (first block {})",
            block_frames, first_block_frames);
  SGF_CHECK(frames >= first_block_frames && (frames - first_block_frames) % block_frames == 0,
            "{} frames do not divide into blocks of {} after a first block of {}; try {} frames", frames, block_frames,
            first_block_frames,
            first_block_frames + std::max<int64_t>(0, (frames - first_block_frames) / block_frames) * block_frames);
}

FrameSpan BlockLayout::block(int64_t index) const {
  if (index == 0) return {0, first_block_frames_};
  const int64_t begin = first_block_frames_ + (index - 1) * block_frames_;
  return {begin, begin + block_frames_};
}

int64_t BlockLayout::block_of(int64_t frame) const {
  if (frame < first_block_frames_) return 0;
  return 1 + (frame - first_block_frames_) / block_frames_;
}

}  // namespace sgf
