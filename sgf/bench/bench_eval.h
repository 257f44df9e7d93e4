// Times of VBench's metrics on pictures in memory, with networks of full size and made-up weights.
#pragma once

#include "sgf/bench/bench_passes.h"

#include <string>

namespace sgf {

bool is_eval_item(const std::string& item);

// A line a metric, "eval NAME": of a clip of `frames` pictures of 8 height x 8 width at 16 a second, as VBench-Long
// scores one. The static filter and the two networks between clips have lines too.
void bench_eval(const PassesSetting& setting, const BenchLine& line);

}  // namespace sgf
