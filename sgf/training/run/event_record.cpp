#include "sgf/training/run/event_record.h"

#include "sgf/core/error.h"
#include "sgf/files/byte_reader.h"

#include <array>
#include <bit>
#include <span>

namespace sgf {
namespace {

constexpr std::array<uint32_t, 256> make_table() {
  std::array<uint32_t, 256> table{};
  for (uint32_t byte = 0; byte < 256; ++byte) {
    uint32_t value = byte;
    for (int bit = 0; bit < 8; ++bit) value = (value >> 1) ^ (value & 1 ? 0x82f63b78u : 0u);
    table[byte] = value;
  }
  return table;
}

constexpr std::array<uint32_t, 256> kTable = make_table();
constexpr size_t kFrameBytes = 16;  // what is not payload

// TFRecord masks checksums, since the checksum of bytes that contain a checksum is degenerate.
uint32_t masked_crc(std::string_view bytes) { return std::rotr(crc32c(bytes), 15) + 0xa282ead8u; }

template <class Integer>
std::string little_endian(Integer value) {
  std::string bytes;
  for (size_t i = 0; i < sizeof value; ++i) bytes += static_cast<char>(value >> (8 * i) & 0xff);
  return bytes;
}

void check_crc(ByteReader& reader, std::string_view covered, const char* what) {
  const size_t at = reader.position();
  SGF_CHECK(reader.u32() == masked_crc(covered), "{}: the checksum of {} at byte {} does not match", reader.source(),
            what, at);
}

}  // namespace

uint32_t crc32c(std::string_view bytes) {
  uint32_t crc = ~0u;
  for (const char c : bytes) crc = (crc >> 8) ^ kTable[(crc ^ static_cast<uint8_t>(c)) & 0xff];
  return ~crc;
}

std::string frame_record(std::string_view payload) {
  const std::string length = little_endian(static_cast<uint64_t>(payload.size()));
  std::string frame = length + little_endian(masked_crc(length));
  frame += payload;
  return frame + little_endian(masked_crc(payload));
}

EventRecords read_records(std::string_view bytes, const std::string& source) {
  ByteReader reader(std::as_bytes(std::span(bytes)), source);
  EventRecords records;
  while (reader.remaining() >= kFrameBytes) {
    const size_t start = reader.position();
    const uint64_t length = reader.u64();
    check_crc(reader, bytes.substr(start, 8), "a length");
    if (reader.remaining() < 4 || length > reader.remaining() - 4) {
      records.torn_bytes = bytes.size() - start;
      return records;
    }
    records.payloads.emplace_back(reader.text(length));
    check_crc(reader, records.payloads.back(), "a record");
  }
  records.torn_bytes = reader.remaining();
  return records;
}

}  // namespace sgf
