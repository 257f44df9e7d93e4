// SHA-256 (FIPS 180-4): identifies content without accidental collisions. Torch-free.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

namespace sgf {

class Sha256 {
 public:
  void update(std::span<const std::byte> bytes);
  void update(std::string_view text) { update(std::as_bytes(std::span(text))); }

  // The hash of all bytes so far, 64 lower-case digits; more may follow.
  std::string hex() const;

 private:
  void take_block(const std::byte* block);

  std::array<uint32_t, 8> state_{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<std::byte, 64> waiting_{};  // bytes of an incomplete block
  uint64_t length_ = 0;                  // of all bytes so far
};

std::string sha256_of(std::string_view text);

// The hash of a whole file. Throws Error if it cannot be read.
std::string sha256_of_file(const std::filesystem::path& path);

}  // namespace sgf
