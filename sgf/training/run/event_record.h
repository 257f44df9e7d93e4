// The framing of TensorBoard's files (TFRecord): length, its checksum, the bytes, their checksum.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sgf {

// Castagnoli's polynomial, not the one of zip files.
uint32_t crc32c(std::string_view bytes);

std::string frame_record(std::string_view payload);

struct EventRecords {
  std::vector<std::string> payloads;
  size_t torn_bytes = 0;  // of a last record that a crash cut short
};

// Throws if a checksum does not match; the message begins with `source`.
EventRecords read_records(std::string_view bytes, const std::string& source);

}  // namespace sgf
