#include "sgf/training/planning/flop_count.h"

#include "sgf/context/reconstruction_mask.h"

#include <algorithm>

namespace sgf {
namespace {

constexpr double kMultiplyAdd = 2;
constexpr double kAttentionBackward = 2.5;  // q k^T again plus four products for the gradients: 5 / 2 of the forward

double pairs_of(const Rectangle& rect) {
  double queries = 0, keys = 0;
  for (const TokenRange& range : rect.queries) queries += static_cast<double>(range.count);
  for (const TokenRange& range : rect.keys) keys += static_cast<double>(range.count);
  return queries * keys * static_cast<double>(rect.repeat);
}

// Sizes as doubles, which multiply without overflow.
struct Sizes {
  double dim, ffn, layers, text, tokens, last, frames;

  Sizes(const DitConfig& config, const CallShape& call)
      : dim(static_cast<double>(config.dim)),
        ffn(static_cast<double>(config.ffn_dim)),
        layers(static_cast<double>(config.num_layers)),
        text(static_cast<double>(config.text_len)),
        tokens(static_cast<double>(call.tokens)),
        last(static_cast<double>(call.last_tokens)),
        frames(static_cast<double>(call.frames)) {}
};

// q and o of both attentions and the FFN for the query tokens, k and v for all tokens.
double block_products(const Sizes& s, double rows) {
  return kMultiplyAdd * (4 * s.dim * s.dim * rows + 2 * s.dim * s.dim * s.tokens + 2 * s.dim * s.ffn * rows);
}

FlopCount block_flops(const DitConfig& config, const CallShape& call) {
  const Sizes s(config, call);
  const double text = call.has_text_ready ? 0 : kMultiplyAdd * 2 * s.dim * s.dim * s.text;
  const double rows = s.tokens * (s.layers - 1) + s.last;
  return {block_products(s, s.tokens) * (s.layers - 1) + block_products(s, s.last) + text * s.layers,
          2 * kMultiplyAdd * s.dim * (call.pairs * (s.layers - 1) + call.last_pairs + rows * s.text)};
}

// Products outside the blocks: those with data as input, and the others.
struct AroundBlocks {
  double of_data = 0;
  double inner = 0;
};

AroundBlocks around_blocks(const DitConfig& config, const CallShape& call) {
  const Sizes s(config, call);
  const auto patch = static_cast<double>(config.patch_volume());
  const double text_rows = call.has_text_ready ? 0 : s.text;
  return {kMultiplyAdd * (s.tokens * patch * static_cast<double>(config.in_dim) * s.dim +
                          s.frames * static_cast<double>(config.freq_dim) * s.dim +
                          text_rows * static_cast<double>(config.text_dim) * s.dim),
          kMultiplyAdd * (s.frames * 7 * s.dim * s.dim + text_rows * s.dim * s.dim +
                          s.last * s.dim * patch * static_cast<double>(config.out_dim))};
}

}  // namespace

double covered_pairs(const AttentionRegion& region) {
  double pairs = 0;
  for (const Rectangle& rect : region.rectangles) pairs += pairs_of(rect);
  return pairs;
}

CallShape bidirectional_call(int64_t frames, const PatchGrid& grid) {
  const int64_t tokens = frames * grid.tokens_per_frame();
  const double pairs = static_cast<double>(tokens) * static_cast<double>(tokens);
  return {frames, tokens, tokens, tokens, pairs, pairs, pairs, false};
}

CallShape parallel_call(const ContextPolicy& policy, const BlockLayout& layout, const PatchGrid& grid) {
  const ReconstructionMask mask(policy, layout);
  const AttentionRegion region = mask.region(grid);
  double largest = 0;
  for (const Rectangle& rect : region.rectangles) largest = std::max(largest, pairs_of(rect));
  return {mask.context_frames() + layout.frames(),
          region.query_tokens,
          layout.frames() * grid.tokens_per_frame(),
          region.key_tokens,
          covered_pairs(region),
          covered_pairs(mask.noisy_region(grid)),
          largest,
          false};
}

CallShape block_causal_call(const ContextPolicy& policy, const BlockLayout& layout, const PatchGrid& grid) {
  const AttentionRegion region = block_causal_region(policy, layout, grid);
  double largest = 0;
  for (const Rectangle& rect : region.rectangles) largest = std::max(largest, pairs_of(rect));
  const double pairs = covered_pairs(region);
  return {layout.frames(), region.query_tokens, region.query_tokens, region.key_tokens, pairs, pairs, largest, false};
}

CallShape denoise_call(const ContextPolicy& policy, FrameSpan block, const PatchGrid& grid) {
  const int64_t tokens = block.frames() * grid.tokens_per_frame();
  const int64_t visible = tokens + policy.visible_to(block).frames() * grid.tokens_per_frame();
  const double pairs = static_cast<double>(tokens) * static_cast<double>(visible);
  return {block.frames(), tokens, tokens, visible, pairs, pairs, pairs, true};
}

CallShape write_call(const ContextPolicy& policy, FrameSpan block, const PatchGrid& grid) {
  CallShape call = denoise_call(policy, block, grid);
  call.last_tokens = 0;
  call.last_pairs = 0;
  return call;
}

FlopCount forward_flops(const DitConfig& config, const CallShape& call) {
  const AroundBlocks around = around_blocks(config, call);
  return block_flops(config, call) + FlopCount{around.of_data + around.inner, 0};
}

FlopCount backward_flops(const DitConfig& config, const CallShape& call) {
  const FlopCount blocks = block_flops(config, call);
  const AroundBlocks around = around_blocks(config, call);
  return {2 * blocks.linear + around.of_data + 2 * around.inner, kAttentionBackward * blocks.attention};
}

FlopCount recomputed_flops(const DitConfig& config, const CallShape& call, bool with_attention) {
  FlopCount flops = block_flops(config, call);
  const Sizes s(config, call);
  if (!with_attention) flops.attention -= 2 * kMultiplyAdd * s.dim * (call.pairs * (s.layers - 1) + call.last_pairs);
  return flops;
}

FlopCount prompt_flops(const DitConfig& config) {
  const Sizes s(config, {});
  const double rows = kMultiplyAdd * s.text * s.dim;
  return {rows * (static_cast<double>(config.text_dim) + s.dim + 2 * s.dim * s.layers), 0};
}

}  // namespace sgf
