#include "sgf/vbench/slow_fast.h"

#include <algorithm>

namespace sgf {
namespace {

// As the tables write their keys: 0.07, not 7 times the double nearest to 0.01.
double key_of(size_t index) { return static_cast<double>(index) / 100; }

}  // namespace

double map_clip_to_clip(const MappingTable& table, double score) {
  size_t above = 0;
  while (above < table.size() && key_of(above) < score) ++above;
  if (above == 0) return table.front();
  if (above == table.size()) return table.back();
  const double low = key_of(above - 1), high = key_of(above);
  return table[above - 1] + (table[above] - table[above - 1]) * (score - low) / (high - low);
}

FusedScore fuse_scores(double in_clip, const std::optional<double>& clip_to_clip, const MappingTable& table,
                       FusionWeights weights) {
  const double mapped = map_clip_to_clip(table, clip_to_clip.value_or(0));
  if (mapped == 0) return {.mapped = 0, .fused = in_clip};
  return {.mapped = mapped, .fused = in_clip * weights.in_clip + mapped * weights.clip_to_clip};
}

}  // namespace sgf
