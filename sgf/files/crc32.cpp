#include "sgf/files/crc32.h"

#include <zlib.h>

namespace sgf {

uint32_t crc32_of(std::span<const std::byte> bytes, uint32_t before) {
  if (bytes.empty()) return before;  // zlib would start again
  return static_cast<uint32_t>(::crc32_z(before, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

}  // namespace sgf
