// Aggregates rows of videos to the numbers of a table.
#pragma once

#include "sgf/evaluation/eval_switches.h"
#include "sgf/vbench/metric_names.h"

#include <nlohmann/json.hpp>

namespace sgf {

// Adds the score between clips to a row's entry of a consistency metric: each clip gets "fused", the row
// "clip_to_clip", "mapped" and its new "value".
void fuse_row(nlohmann::json& entry, VbenchMetric metric, const nlohmann::json& clip_to_clip);

// "value" of an entry: the mean of its counted clips; null if there are none.
void set_row_value(nlohmann::json& entry);

// The total of one metric over all rows with it: {"value", "mean_over": what the mean is over, "videos", "clips", and
// the unused means}. Null if no row has it.
nlohmann::json metric_total(const nlohmann::json& rows, VbenchMetric metric, const EvalSwitches& switches);

// Why a metric has no total although no video has an error for it; empty if errors explain it.
std::string why_no_total(const nlohmann::json& rows, VbenchMetric metric, const EvalSwitches& switches);

}  // namespace sgf
