// What Pass 2 may see: the cache's policy over the sequence [context | noisy], as dense rectangles.
#pragma once

#include "sgf/context/context_policy.h"
#include "sgf/core/frame_span.h"
#include "sgf/core/patch_grid.h"
#include "sgf/kernels/rectangles.h"

#include <cstdint>

namespace sgf {

// Which copy of a frame a token belongs to.
enum class FrameRole { kContext, kNoisy };

// The rule, frame by frame:
//   context block i -> context frames that its policy shows, and itself. Windowed too: each K/V was written when its
//                      block saw only these frames.
//   noisy block i   -> the same context frames, all strictly before it, and noisy block i.
class ReconstructionMask {
 public:
  ReconstructionMask(ContextPolicy policy, BlockLayout layout);

  const ContextPolicy& policy() const { return policy_; }
  const BlockLayout& layout() const { return layout_; }

  // Context frames [0, n) that some noisy block reads. No block reads those of the last block, so they are left out.
  int64_t context_frames() const { return context_frames_; }

  // Rectangles over tokens of [context frames | noisy frames].
  AttentionRegion region(const PatchGrid& grid) const;
  // The same for the noisy rows only: queries are the noisy frames, keys the whole sequence.
  AttentionRegion noisy_region(const PatchGrid& grid) const;

  // The rule itself, as a reference for tests: may (query role, query frame) see (key role, key frame)?
  bool sees(FrameRole query_role, int64_t query, FrameRole key_role, int64_t key) const;

 private:
  ContextPolicy policy_;
  BlockLayout layout_;
  int64_t context_frames_;
};

// A block sees itself and every noisy frame that its policy shows; there is no clean half.
AttentionRegion block_causal_region(const ContextPolicy& policy, const BlockLayout& layout, const PatchGrid& grid);

}  // namespace sgf
