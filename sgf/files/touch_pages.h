// What to do when the system refuses to read the bytes of a write.
#pragma once

#include <cstddef>
#include <span>

namespace sgf {

// Reads a byte of every page. The system answers EFAULT for bytes of a mapped file that was truncated, and the name of
// that file is known only where the program reads them itself: lost_map.h then ends the program with it.
void touch_pages(std::span<const std::byte> bytes);

}  // namespace sgf
