// Converts latent frames to token positions; no other place does this arithmetic.
#pragma once

#include "sgf/core/frame_span.h"

#include <cstdint>

namespace sgf {

// Tokens [begin, begin + count) of a sequence.
struct TokenRange {
  int64_t begin = 0;
  int64_t count = 0;

  int64_t end() const { return begin + count; }
  bool operator==(const TokenRange&) const = default;
};

// How a latent frame of `height` x `width` is cut into patches; tokens run f, h, w.
class PatchGrid {
 public:
  // Throws unless the patch divides the frame.
  PatchGrid(int64_t height, int64_t width, int64_t patch_height, int64_t patch_width);

  int64_t rows() const { return rows_; }
  int64_t columns() const { return columns_; }
  int64_t tokens_per_frame() const { return rows_ * columns_; }

  // Where the tokens of `span` lie in a sequence whose first token belongs to frame `origin`.
  TokenRange tokens(FrameSpan span, int64_t origin = 0) const {
    return {(span.begin - origin) * tokens_per_frame(), span.frames() * tokens_per_frame()};
  }

 private:
  int64_t rows_;
  int64_t columns_;
};

}  // namespace sgf
