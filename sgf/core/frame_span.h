// Half-open ranges of latent frames, and how a stream is divided into blocks. Nothing here knows about tokens.
#pragma once

#include <algorithm>
#include <cstdint>

namespace sgf {

// Latent frames [begin, end).
struct FrameSpan {
  int64_t begin = 0;
  int64_t end = 0;

  int64_t frames() const { return end - begin; }
  bool empty() const { return end <= begin; }
  bool contains(int64_t frame) const { return begin <= frame && frame < end; }
  bool operator==(const FrameSpan&) const = default;
};

inline bool overlap(FrameSpan a, FrameSpan b) { return std::max(a.begin, b.begin) < std::min(a.end, b.end); }

// A stream divided into blocks of equal length. The first block may differ (an image, say).
class BlockLayout {
 public:
  // Throws unless `frames` is the first block plus a whole number of further blocks.
  BlockLayout(int64_t frames, int64_t block_frames, int64_t first_block_frames);
  BlockLayout(int64_t frames, int64_t block_frames) : BlockLayout(frames, block_frames, block_frames) {}

  int64_t frames() const { return frames_; }
  int64_t count() const { return 1 + (frames_ - first_block_frames_) / block_frames_; }
  FrameSpan block(int64_t index) const;
  int64_t block_of(int64_t frame) const;
  int64_t largest_block() const { return std::max(count() > 1 ? block_frames_ : 0, first_block_frames_); }

 private:
  int64_t frames_;
  int64_t block_frames_;
  int64_t first_block_frames_;
};

}  // namespace sgf
