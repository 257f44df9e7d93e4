// Constants of the zip format that the reader and the writer share.
#pragma once

#include <cstdint>

namespace sgf {

inline constexpr uint16_t kZip64Extra = 1;        // the extra field for values above 32 bits
inline constexpr uint32_t kInZip64 = 0xffffffff;  // "the value is in the zip64 extra field"

}  // namespace sgf
