// Wall-clock time that has passed.
#pragma once

#include <chrono>

namespace sgf {

inline double milliseconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
}

}  // namespace sgf
