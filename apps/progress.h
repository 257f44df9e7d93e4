// Progress of the program's commands: on standard error, by the steady clock.
#pragma once

#include "sgf/core/progress_line.h"

#include <cstdint>
#include <functional>

namespace sgf {

// As standard error is a terminal or not.
ProgressMode progress_mode(bool is_quiet);

// stderr and its width, and the steady clock.
ProgressOutput standard_progress_output();

// Hears how many of `total` are done. A command of a moment, or one that no terminal watches, says nothing.
std::function<void(int64_t)> show_progress(int64_t total);

}  // namespace sgf
