// Eight bytes a step ("slicing by 8"): a 28 GB file should wait for its disk, not for its checksum.
#include "sgf/files/crc32.h"

#include <array>
#include <cstring>

namespace sgf {
namespace {

constexpr size_t kSlices = 8;
using Tables = std::array<std::array<uint32_t, 256>, kSlices>;

constexpr uint32_t shift_byte(uint32_t value) {
  for (int bit = 0; bit < 8; ++bit) value = (value >> 1) ^ (value & 1 ? 0xedb88320u : 0u);
  return value;
}

// Table s holds the checksum of a byte with s zero bytes after it.
constexpr Tables make_tables() {
  Tables tables{};
  for (uint32_t byte = 0; byte < 256; ++byte) tables[0][byte] = shift_byte(byte);
  for (size_t s = 1; s < kSlices; ++s) {
    for (uint32_t byte = 0; byte < 256; ++byte) {
      const uint32_t before = tables[s - 1][byte];
      tables[s][byte] = (before >> 8) ^ tables[0][before & 0xff];
    }
  }
  return tables;
}

constexpr Tables kTables = make_tables();

uint32_t step_eight(uint32_t crc, const std::byte* bytes) {
  std::array<uint8_t, kSlices> in{};
  std::memcpy(in.data(), bytes, kSlices);
  for (size_t i = 0; i < 4; ++i) in[i] ^= static_cast<uint8_t>(crc >> (8 * i));
  uint32_t out = 0;
  for (size_t i = 0; i < kSlices; ++i) out ^= kTables[kSlices - 1 - i][in[i]];
  return out;
}

}  // namespace

uint32_t crc32(std::span<const std::byte> bytes, uint32_t crc) {
  crc = ~crc;
  for (; bytes.size() >= kSlices; bytes = bytes.subspan(kSlices)) crc = step_eight(crc, bytes.data());
  for (const std::byte byte : bytes) crc = (crc >> 8) ^ kTables[0][(crc ^ static_cast<uint32_t>(byte)) & 0xff];
  return ~crc;
}

}  // namespace sgf
