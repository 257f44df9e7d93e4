// Numbers of the zip format that its reader and its writer share.
#pragma once

#include <cstdint>

namespace sgf {

inline constexpr uint16_t kZip64Extra = 1;        // the extra field that holds what 32 bits cannot
inline constexpr uint32_t kInZip64 = 0xffffffff;  // "the value is in the zip64 extra field"

}  // namespace sgf
