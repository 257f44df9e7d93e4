#include "sgf/files/sha256.h"

#include "sgf/core/error.h"
#include "sgf/files/big_endian.h"
#include "sgf/files/mapped_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <fstream>

namespace sgf {
namespace {

constexpr size_t kBlock = 64;

// Fractions of the cube roots of the first 64 primes.
constexpr std::array<uint32_t, 64> kRounds{
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

using Schedule = std::array<uint32_t, 64>;

Schedule expand(std::span<const std::byte, kBlock> block) {
  Schedule w{};
  for (size_t i = 0; i < 16; ++i) w[i] = from_big_endian<uint32_t>(block.subspan(4 * i).first<4>());
  for (size_t i = 16; i < w.size(); ++i) {
    const uint32_t s0 = std::rotr(w[i - 15], 7) ^ std::rotr(w[i - 15], 18) ^ (w[i - 15] >> 3);
    const uint32_t s1 = std::rotr(w[i - 2], 17) ^ std::rotr(w[i - 2], 19) ^ (w[i - 2] >> 10);
    w[i] = w[i - 16] + s0 + w[i - 7] + s1;
  }
  return w;
}

}  // namespace

void Sha256::take_block(const std::byte* block) {
  const Schedule w = expand(std::span<const std::byte, kBlock>(block, kBlock));
  auto [a, b, c, d, e, f, g, h] = state_;
  for (size_t i = 0; i < w.size(); ++i) {
    const uint32_t s1 = std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25);
    const uint32_t t1 = h + s1 + ((e & f) ^ (~e & g)) + kRounds[i] + w[i];
    const uint32_t s0 = std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22);
    const uint32_t t2 = s0 + ((a & b) ^ (a & c) ^ (b & c));
    h = g, g = f, f = e, e = d + t1, d = c, c = b, b = a, a = t1 + t2;
  }
  const std::array<uint32_t, 8> mixed{a, b, c, d, e, f, g, h};
  for (size_t i = 0; i < state_.size(); ++i) state_[i] += mixed[i];
}

void Sha256::update(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const size_t filled = length_ % kBlock;
    if (filled == 0 && bytes.size() >= kBlock) {
      take_block(bytes.data());
      length_ += kBlock;
      bytes = bytes.subspan(kBlock);
      continue;
    }
    const size_t taken = std::min(kBlock - filled, bytes.size());
    std::memcpy(waiting_.data() + filled, bytes.data(), taken);
    length_ += taken;
    bytes = bytes.subspan(taken);
    if (length_ % kBlock == 0) take_block(waiting_.data());
  }
}

// The message ends with a one bit, zeros, and its length in bits.
std::string Sha256::hex() const {
  Sha256 last = *this;
  std::array<std::byte, 2 * kBlock> end{std::byte{0x80}};
  const size_t filled = length_ % kBlock, padding = (filled < 56 ? 56 : 56 + kBlock) - filled;
  for (size_t i = 0; i < 8; ++i) end[padding + i] = static_cast<std::byte>((length_ * 8) >> (56 - 8 * i));
  last.update(std::span(end).first(padding + 8));
  std::string digits;
  for (const uint32_t word : last.state_) digits += fmt::format("{:08x}", word);
  return digits;
}

std::string sha256_of(std::string_view text) {
  Sha256 hash;
  hash.update(text);
  return hash.hex();
}

std::string sha256_of_file(const std::filesystem::path& path) {
  MappedFile::open(path);  // refuses what is not a regular file
  std::ifstream in(path, std::ios::binary);
  std::string piece(size_t{1} << 20,
                    '\0');  // not mapped, because the pages of a long video would count as memory of this process
  Sha256 hash;
  while (in.read(piece.data(), static_cast<std::streamsize>(piece.size())), in.gcount() > 0)
    hash.update(std::string_view(piece.data(), static_cast<size_t>(in.gcount())));
  SGF_CHECK(in.eof(), "{}: cannot be read to its end", path.string());
  return hash.hex();
}

}  // namespace sgf
