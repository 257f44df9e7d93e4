// The checksum of zip records.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace sgf {

// Goes on from `crc`, the checksum of the bytes before; 0 to begin with.
uint32_t crc32(std::span<const std::byte> bytes, uint32_t crc = 0);

}  // namespace sgf
