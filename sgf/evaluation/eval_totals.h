// Rows of videos become the numbers of a table.
#pragma once

#include "sgf/evaluation/eval_switches.h"
#include "sgf/vbench/metric_names.h"

#include <nlohmann/json.hpp>

namespace sgf {

// A row's entry of a consistency metric, with the score between clips brought in: each clip gets "fused", the row
// "clip_to_clip", "mapped" and its new "value".
void fuse_row(nlohmann::json& entry, VbenchMetric metric, const nlohmann::json& clip_to_clip);

// "value" of an entry: the mean of its clips that count; null where none does.
void set_row_value(nlohmann::json& entry);

// The total of one metric over all rows that have it: {"value", "mean_over": what the value is the mean over, "videos",
// "clips", and the means that were not taken}. Null where no row has it.
nlohmann::json metric_total(const nlohmann::json& rows, VbenchMetric metric, const EvalSwitches& switches);

// Why a metric has no total though no video has an error of it; empty where errors say it.
std::string why_no_total(const nlohmann::json& rows, VbenchMetric metric, const EvalSwitches& switches);

}  // namespace sgf
