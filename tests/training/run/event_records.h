// Reads the records of an event file back. Its framing is TFRecord: length, its checksum, the bytes, their checksum.
#pragma once

#include "sgf/core/error.h"
#include "sgf/files/byte_reader.h"
#include "sgf/training/run/event_file.h"

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sgf::testing {

struct EventRecords {
  std::vector<std::string> payloads;
  size_t torn_bytes = 0;  // of a last record that a crash cut short
};

inline void check_crc(ByteReader& reader, std::string_view covered, const char* what) {
  const size_t at = reader.position();
  SGF_CHECK(reader.u32() == std::rotr(crc32c(covered), 15) + 0xa282ead8u,
            "{}: the checksum of {} at byte {} does not match", reader.source(), what, at);
}

// Throws if a checksum does not match; the message begins with `source`.
inline EventRecords read_records(std::string_view bytes, const std::string& source) {
  constexpr size_t kFrameBytes = 16;  // what is not payload
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

}  // namespace sgf::testing
