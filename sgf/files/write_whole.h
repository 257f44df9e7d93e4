// Bytes to an open file, all of them: the system may take fewer at a time.
#pragma once

#include <cstdint>
#include <string_view>

namespace sgf {

// False where they could not be written; errno then says why.
bool write_whole_at(int fd, uint64_t offset, std::string_view bytes);

}  // namespace sgf
