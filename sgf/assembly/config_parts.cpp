#include "sgf/assembly/config_parts.h"

#include "sgf/core/error.h"
#include "sgf/schedule/flow_schedule.h"

namespace sgf {

namespace {

// The fields that both sides have, under the same names.
template <class To, class From>
To same_sizes(const From& from) {
  return {.dim = from.dim,
          .ffn_dim = from.ffn_dim,
          .freq_dim = from.freq_dim,
          .text_dim = from.text_dim,
          .text_len = from.text_len,
          .num_heads = from.num_heads,
          .num_layers = from.num_layers,
          .in_dim = from.in_dim,
          .out_dim = from.out_dim,
          .patch_size = from.patch_size,
          .eps = from.eps};
}

}  // namespace

DitConfig dit_config_of(const Config& c) { return same_sizes<DitConfig>(c.model); }
ModelSettings model_settings(const DitConfig& network) { return same_sizes<ModelSettings>(network); }

BlockLayout layout_of(const Config& c) {
  return BlockLayout(c.video.frames, c.context.block_frames,
                     c.context.first_block_frames.value_or(c.context.block_frames));
}

ContextPolicy policy_of(const Config& c) {
  return {.sink_frames = c.context.sink_frames, .fifo_frames = c.context.fifo_frames};
}

PositionRule position_rule_of(const Config& c) {
  switch (c.context.positions) {
    case PositionChoice::kAbsolute:
      return {PositionKind::kAbsolute};
    case PositionChoice::kContiguous:
      return {PositionKind::kContiguous};
    case PositionChoice::kTopAligned:
      return {PositionKind::kTopAligned, c.context.train_frames};
  }
  fail("no such position rule");
}

std::vector<int64_t> latent_shape(const Config& c) { return {c.model.in_dim, c.video.height, c.video.width}; }

std::vector<double> denoising_steps(const Config& c) {
  if (!c.schedule.warp_denoising_steps) return c.schedule.denoising_steps;
  return FlowSchedule(c.schedule.shift, c.schedule.table_size).warp(c.schedule.denoising_steps);
}

}  // namespace sgf
