// How far a command has come, on a terminal.
#pragma once

#include <cstdint>
#include <functional>

namespace sgf {

// Hears how many of `total` are done. A command of a moment, or one that no terminal watches, says nothing.
std::function<void(int64_t)> show_progress(int64_t total);

}  // namespace sgf
