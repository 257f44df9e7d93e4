// Writes all bytes to an open file; the system may accept fewer at a time.
#pragma once

#include <cstdint>
#include <string_view>

namespace sgf {

// Returns false if they could not be written; errno then holds the reason.
bool write_whole_at(int fd, uint64_t offset, std::string_view bytes);

}  // namespace sgf
