// Unsigned integers with the most significant byte first, as in mp4 files, PNG files and SHA-256.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace sgf {

template <class Integer>
Integer from_big_endian(std::span<const std::byte, sizeof(Integer)> bytes) {
  Integer value = 0;
  for (const std::byte byte : bytes) value = value << 8 | std::to_integer<Integer>(byte);
  return value;
}

template <class Integer>
std::string to_big_endian(Integer value) {
  std::string bytes;
  for (size_t i = sizeof value; i-- > 0;) bytes += static_cast<char>(value >> (8 * i) & 0xff);
  return bytes;
}

}  // namespace sgf
