// The checksum of zip and PNG files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace sgf {

// CRC-32 as zlib computes it. Continues the checksum of previous bytes.
uint32_t crc32_of(std::span<const std::byte> bytes, uint32_t before = 0);

}  // namespace sgf
