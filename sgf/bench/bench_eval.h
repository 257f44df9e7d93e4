// Times VBench's metrics on frames in memory, with networks of full size and synthetic weights.
#pragma once

#include "sgf/bench/bench_passes.h"

#include <string>

namespace sgf {

bool is_eval_item(const std::string& item);

// One line "eval NAME" per metric, for a clip as VBench-Long scores it: `frames` frames of 8 height x 8 width at 16
// fps. Also for the static filter and the two networks between clips.
void bench_eval(const PassesSetting& setting, const BenchLine& line);

}  // namespace sgf
