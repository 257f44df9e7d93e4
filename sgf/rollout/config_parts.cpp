#include "sgf/rollout/config_parts.h"

#include "sgf/core/error.h"
#include "sgf/schedule/flow_schedule.h"

namespace sgf {

DitConfig dit_config_of(const Config& c) {
  const ModelSettings& m = c.model;
  return {.dim = m.dim,
          .ffn_dim = m.ffn_dim,
          .freq_dim = m.freq_dim,
          .text_dim = m.text_dim,
          .text_len = m.text_len,
          .num_heads = m.num_heads,
          .num_layers = m.num_layers,
          .in_dim = m.in_dim,
          .out_dim = m.out_dim,
          .patch_size = m.patch_size,
          .eps = m.eps};
}

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
  fail("rollout", "no such position rule");
}

std::vector<double> denoising_steps(const Config& c) {
  if (!c.schedule.warp_denoising_steps) return c.schedule.denoising_steps;
  return FlowSchedule(c.schedule.shift, c.schedule.table_size).warp(c.schedule.denoising_steps);
}

}  // namespace sgf
