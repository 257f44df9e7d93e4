// Slow-fast fusion of VBench-Long: consistency within clips, and between the first frames of all clips.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

namespace sgf {

// Maps a score between clips to the score within a clip of the same rank. Value i belongs to i / 100, with linear
// interpolation. Below .01 values fall steeply to 0.
using MappingTable = std::array<double, 101>;

// VBench's configs/subject_mapping_table.yaml and background_mapping_table.yaml, number by number.
extern const MappingTable kSubjectMapping;
extern const MappingTable kBackgroundMapping;

double map_clip_to_clip(const MappingTable& table, double score);

struct FusionWeights {
  double in_clip = 0.5;  // slow_fast_params.yaml, for both dimensions
  double clip_to_clip = 0.5;
};

struct FusedScore {
  double mapped = 0;  // 0 if there was nothing to map
  double fused = 0;
};

// Fuses the scores of one clip. Without a score between clips (the video is one clip), or if it maps to 0, the result
// is the score within the clip.
FusedScore fuse_scores(double in_clip, const std::optional<double>& clip_to_clip, const MappingTable& table,
                       FusionWeights weights = {});

}  // namespace sgf
