// Progress of commands, on standard error.
#pragma once

#include "sgf/core/progress_line.h"

#include <cstdint>
#include <functional>
#include <string>

namespace sgf {

// A line that is rewritten on a terminal, lines at intervals in a log.
ProgressMode progress_mode(bool is_quiet);

// stderr with the width of its terminal, and the steady clock.
ProgressOutput standard_progress_output();

// A progress line that is told how many of `total` units ("clip") are done.
std::function<void(int64_t)> show_progress(int64_t total, const std::string& unit);

}  // namespace sgf
