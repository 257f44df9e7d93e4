#include "sgf/context/reconstruction_mask.h"

#include <utility>
#include <vector>

namespace sgf {
namespace {

// Context blocks that a later block reads form a prefix: with a FIFO of at least one frame every block is read once,
// and without one only the sink is read.
int64_t frames_read_by_a_later_block(const ContextPolicy& policy, const BlockLayout& layout) {
  int64_t live = 0;
  for (int64_t i = 0; i + 1 < layout.count(); ++i) {
    const FrameSpan block = layout.block(i);
    const ContextView next = policy.visible_to(layout.block(i + 1));
    if (overlap(block, next.sink) || overlap(block, next.recent)) live = block.end;
  }
  return live;
}

std::vector<TokenRange> key_ranges(const ContextView& view, const PatchGrid& grid) {
  std::vector<TokenRange> ranges;
  for (const FrameSpan run : view.runs()) ranges.push_back(grid.tokens(run));
  return ranges;
}

// Blocks [first, count) against themselves, with runs of equal length as one repeated rectangle. `query_origin` and
// `key_origin` are the tokens at which frame 0 begins in either sequence.
void add_self_rectangles(std::vector<Rectangle>& out, const BlockLayout& layout, int64_t frames, const PatchGrid& grid,
                         int64_t query_origin, int64_t key_origin) {
  for (int64_t i = 0; i < layout.count() && layout.block(i).end <= frames;) {
    const FrameSpan block = layout.block(i);
    int64_t repeat = 1;
    while (i + repeat < layout.count() && layout.block(i + repeat).end <= frames &&
           layout.block(i + repeat).frames() == block.frames())
      ++repeat;
    const TokenRange tokens = grid.tokens(block);
    out.push_back({{{query_origin + tokens.begin, tokens.count}}, {{key_origin + tokens.begin, tokens.count}}, repeat});
    i += repeat;
  }
}

}  // namespace

ReconstructionMask::ReconstructionMask(ContextPolicy policy, BlockLayout layout)
    : policy_(policy), layout_(layout), context_frames_(0) {
  policy_.validate();
  context_frames_ = frames_read_by_a_later_block(policy_, layout_);
}

AttentionRegion ReconstructionMask::region(const PatchGrid& grid) const {
  const int64_t context_tokens = context_frames_ * grid.tokens_per_frame();
  const int64_t all_tokens = context_tokens + layout_.frames() * grid.tokens_per_frame();
  AttentionRegion region{all_tokens, all_tokens, {}};
  // Every row first attends to its own block: one batched call that fills the output, into which the rest is merged.
  add_self_rectangles(region.rectangles, layout_, context_frames_, grid, 0, 0);
  add_self_rectangles(region.rectangles, layout_, layout_.frames(), grid, context_tokens, context_tokens);
  // context_i and noisy_i see the same earlier context, so their queries share one call per block.
  for (int64_t i = 0; i < layout_.count(); ++i) {
    const FrameSpan block = layout_.block(i);
    std::vector<TokenRange> keys = key_ranges(policy_.visible_to(block), grid);
    if (keys.empty()) continue;
    const TokenRange own = grid.tokens(block);
    std::vector<TokenRange> queries;
    if (block.end <= context_frames_) queries.push_back(own);
    queries.push_back({context_tokens + own.begin, own.count});
    region.rectangles.push_back({std::move(queries), std::move(keys)});
  }
  return region;
}

AttentionRegion ReconstructionMask::noisy_region(const PatchGrid& grid) const {
  const int64_t context_tokens = context_frames_ * grid.tokens_per_frame();
  const int64_t noisy_tokens = layout_.frames() * grid.tokens_per_frame();
  AttentionRegion region{noisy_tokens, context_tokens + noisy_tokens, {}};
  add_self_rectangles(region.rectangles, layout_, layout_.frames(), grid, 0, context_tokens);
  for (int64_t i = 0; i < layout_.count(); ++i) {
    std::vector<TokenRange> keys = key_ranges(policy_.visible_to(layout_.block(i)), grid);
    if (!keys.empty()) region.rectangles.push_back({{grid.tokens(layout_.block(i))}, std::move(keys)});
  }
  return region;
}

bool ReconstructionMask::sees(FrameRole query_role, int64_t query, FrameRole key_role, int64_t key) const {
  const FrameSpan block = layout_.block(layout_.block_of(query));
  if (query_role == key_role && block.contains(key)) return true;
  return key_role == FrameRole::kContext && policy_.visible_to(block).contains(key);
}

AttentionRegion block_causal_region(const ContextPolicy& policy, const BlockLayout& layout, const PatchGrid& grid) {
  const int64_t tokens = layout.frames() * grid.tokens_per_frame();
  AttentionRegion region{tokens, tokens, {}};
  for (int64_t i = 0; i < layout.count(); ++i) {
    const FrameSpan block = layout.block(i);
    ContextView seen = policy.visible_to(block);
    seen.recent.end = block.end;  // its own frames directly follow the recent ones
    region.rectangles.push_back({{grid.tokens(block)}, key_ranges(seen, grid)});
  }
  return region;
}

}  // namespace sgf
