// Independent pieces of work on several threads.
#pragma once

#include <cstdint>
#include <functional>

namespace sgf {

// Calls work(0) to work(count - 1), once each and begun in this order, on up to `threads` threads including this one.
// After an error no further piece begins; once all threads have ended, the error of the lowest piece is thrown, as a
// loop would throw it.
void in_parallel(int64_t count, int64_t threads, const std::function<void(int64_t)>& work);

}  // namespace sgf
