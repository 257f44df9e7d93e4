// The sample videos of a run: fixed prompts and fixed noise, so that two steps can be compared by eye.
#pragma once

#include "sgf/training/build_stage.h"
#include "sgf/training/run/report_page.h"

#include <filesystem>
#include <vector>

namespace sgf {

// Writes step_XXXXXXXX/N.png, a strip each, N.mp4 where the build knows videos, and prompts.txt into `folder`; gives
// the strips for the report.
std::vector<ReportStrip> write_samples(const std::filesystem::path& folder, int64_t step, const Stage& stage,
                                       const Conditioning& surroundings, uint64_t seed);

// Those of the newest steps that are there, newest first.
std::vector<ReportStrip> read_samples(const std::filesystem::path& folder, int64_t steps);

}  // namespace sgf
