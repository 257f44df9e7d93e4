// A cursor over little-endian bytes that does not read past their end. Used for zip records and pickles.
#pragma once

#include "sgf/core/error.h"

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace sgf {

static_assert(std::endian::native == std::endian::little, "weight files are little-endian and used in place");

class ByteReader {
 public:
  // `source` starts every error message: the file, and which part of it.
  ByteReader(std::span<const std::byte> bytes, std::string source) : bytes_(bytes), source_(std::move(source)) {}

  const std::string& source() const { return source_; }
  size_t position() const { return position_; }
  size_t remaining() const { return bytes_.size() - position_; }

  void seek(uint64_t position) {
    SGF_CHECK(position <= bytes_.size(), "{}: points to byte {}, but has {} bytes", source_, position, bytes_.size());
    position_ = static_cast<size_t>(position);
  }

  std::string_view text(uint64_t length) {
    SGF_CHECK(length <= remaining(), "{}: ends early: needs {} bytes at {}, {} left", source_, length, position_,
              remaining());
    const auto* start = reinterpret_cast<const char*>(bytes_.data() + position_);
    position_ += static_cast<size_t>(length);
    return {start, static_cast<size_t>(length)};
  }

  // Reads up to the next newline and skips it.
  std::string_view line() {
    const auto* start = reinterpret_cast<const char*>(bytes_.data() + position_);
    const size_t length = std::string_view(start, remaining()).find('\n');
    SGF_CHECK(length != std::string_view::npos, "{}: ends inside a line of text", source_);
    return text(length + 1).substr(0, length);
  }

  template <class Integer>
  Integer integer() {
    Integer value;
    std::memcpy(&value, text(sizeof value).data(), sizeof value);
    return value;
  }

  uint8_t u8() { return integer<uint8_t>(); }
  uint16_t u16() { return integer<uint16_t>(); }
  uint32_t u32() { return integer<uint32_t>(); }
  uint64_t u64() { return integer<uint64_t>(); }

 private:
  std::span<const std::byte> bytes_;
  std::string source_;
  size_t position_ = 0;
};

}  // namespace sgf
